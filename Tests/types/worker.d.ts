// What workers have and the type checker's own description of them lacks.

interface AbortController {
  abort(reason?: unknown): void
}
