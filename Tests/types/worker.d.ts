// Declarations that the type checker's own description of workers lacks.

interface AbortController {
  abort(reason?: unknown): void
}
