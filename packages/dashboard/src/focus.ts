/**
 * Moves the focus to the content whenever the focused element is removed, such as a button with its row. Otherwise the
 * keyboard focus would start at the top.
 * @returns stops it
 */
export function keepFocus(): () => void {
  let focused: Element | null = null;
  const remember = (): void => void (focused = document.activeElement);
  const observer = new MutationObserver(() => {
    const { activeElement, body } = document;
    if (focused?.isConnected !== false || (activeElement !== null && activeElement !== body)) return;
    content()?.focus({ preventScroll: true });
  });
  document.addEventListener('focusin', remember);
  observer.observe(document.body, { childList: true, subtree: true });
  return () => {
    document.removeEventListener('focusin', remember);
    observer.disconnect();
  };
}

/** An open dialog, or the page: nothing outside an open dialog can have the focus. */
function content(): HTMLElement | null {
  return document.querySelector<HTMLElement>('dialog[open]') ?? document.getElementById('main');
}
