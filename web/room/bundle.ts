/**
 * Loads a script with a bundle of its own (scripts/page). Few people need such a script, so it is not a part of the
 * first visit. The path is a parameter, because the bundler would include a constant path.
 */
export const bundle = (path: string) => import(path)
