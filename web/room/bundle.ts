/**
 * Loads what has a bundle of its own (scripts/page): few people ask for it, and it would be a part of each first visit.
 * The path is a value, so that the bundler leaves the import alone.
 */
export const bundle = (path: string) => import(path)
