// Declares what workers offer, but what the type checker's own description of workers lacks.

interface AbortController {
  abort(reason?: unknown): void
}
