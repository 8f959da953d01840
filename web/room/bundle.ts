/**
 * Loads a script with a bundle of its own (scripts/page), which only few people need. The path is a parameter, because
 * the bundler would include a constant path.
 */
export async function bundle(path: string) {
  const failed = failures.get(path) ?? 0
  try {
    return await import(failed === 0 ? path : `${path}?again=${failed}`)
  } catch (error) {
    failures.set(path, failed + 1)
    throw error
  }
}

/**
 * How often loading a script has failed. Chromium remembers a failure until the page is reloaded, so each further try
 * needs another address.
 */
const failures = new Map<string, number>()
