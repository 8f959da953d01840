// Whether the page is light, dark, or follows the system.

const key = 'canvas.theme'

type Appearance = 'system' | 'light' | 'dark'

export function appearance(): Appearance {
  const { theme } = document.documentElement.dataset
  return theme === 'light' || theme === 'dark' ? theme : 'system'
}

export function setAppearance(choice: Appearance) {
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
