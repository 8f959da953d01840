/**
 * Loads a script with a bundle of its own (scripts/page), which only few people need. The path is a parameter, because
 * the bundler would include a constant path.
 */
export const bundle = (path: string) => import(path)
