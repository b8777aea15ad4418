/**
 * Moves the focus to the content when the focused element is removed. Otherwise the keyboard focus would start at the
 * top.
 */
export function keepFocus(): void {
  requestAnimationFrame(() => {
    const { activeElement, body } = document;
    if (activeElement === null || activeElement === body)
      document.getElementById('main')?.focus({ preventScroll: true });
  });
}
