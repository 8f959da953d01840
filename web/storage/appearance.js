// Light, dark, or as the system has it.

const key = 'canvas.theme'

/** @returns {'system' | 'light' | 'dark'} */
export function theme() {
  return document.documentElement.dataset.theme ?? 'system'
}

/** @param {'system' | 'light' | 'dark'} choice */
export function setTheme(choice) {
  if (choice === 'light' || choice === 'dark') document.documentElement.dataset.theme = choice
  else delete document.documentElement.dataset.theme
  try {
    localStorage.setItem(key, choice)
  } catch {
    // Then it holds for as long as the page does.
  }
  document.documentElement.dispatchEvent(new Event('theme'))
}

try {
  const remembered = localStorage.getItem(key)
  if (remembered) setTheme(remembered)
} catch {
  // A browser that keeps nothing has the system's.
}
