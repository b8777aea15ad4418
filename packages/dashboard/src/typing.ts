/** True if the element handles key presses, so that they are not shortcuts. */
export function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.matches('input, textarea, select, [contenteditable], dialog *');
}
