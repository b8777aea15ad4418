/** Whether keys belong to the element, so that they are no shortcuts. */
export function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.matches('input, textarea, select, [contenteditable], dialog *');
}
