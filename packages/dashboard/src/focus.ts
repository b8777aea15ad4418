/** Goes on at the content, where what had the focus is gone. A reader by keyboard would have to begin anew. */
export function keepFocus(): void {
  requestAnimationFrame(() => {
    const { activeElement, body } = document;
    if (activeElement === null || activeElement === body)
      document.getElementById('main')?.focus({ preventScroll: true });
  });
}
