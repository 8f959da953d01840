// Whether the page is light, dark, or follows the system.

const key = 'canvas.theme'

/** @typedef {'system' | 'light' | 'dark'} Appearance */

/** @returns {Appearance} */
export function appearance() {
  const { theme } = document.documentElement.dataset
  return theme === 'light' || theme === 'dark' ? theme : 'system'
}

/** @param {Appearance} choice */
export function setAppearance(choice) {
  if (choice === 'light' || choice === 'dark') document.documentElement.dataset.theme = choice
  else delete document.documentElement.dataset.theme
  try {
    localStorage.setItem(key, choice)
  } catch {
    // If the choice can't be stored, it lasts as long as the page does.
  }
}

try {
  const remembered = localStorage.getItem(key)
  if (remembered === 'light' || remembered === 'dark') setAppearance(remembered)
} catch {
  // The browser doesn't let the page read what is stored, so the page follows the system.
}
