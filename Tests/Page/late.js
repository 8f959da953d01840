// Makes each frame of the page come late. A test that acts before the page has painted fails then, instead of once in a
// hundred runs.
{
  const LATE = 120
  const { requestAnimationFrame, cancelAnimationFrame } = window
  // The pending requests: for each, how to cancel it.
  const pending = new Map()
  let count = 0
  window.requestAnimationFrame = (callback) => {
    const request = ++count
    const timer = setTimeout(() => {
      const frame = requestAnimationFrame((now) => {
        pending.delete(request)
        callback(now)
      })
      pending.set(request, () => cancelAnimationFrame(frame))
    }, LATE)
    pending.set(request, () => clearTimeout(timer))
    return request
  }
  window.cancelAnimationFrame = (request) => {
    pending.get(request)?.()
    pending.delete(request)
  }
}
