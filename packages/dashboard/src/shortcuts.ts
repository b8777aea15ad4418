import { useEffect, useState } from 'preact/hooks';

const KEY = 'mailbeacon.shortcuts';
/** In the tab where they are switched; `storage` events reach the others only. */
const SWITCHED = 'shortcuts-switched';

function areOn(): boolean {
  return localStorage.getItem(KEY) !== 'off';
}

/** Readers who dictate, or hit keys by accident, need them off (WCAG 2.1.4). */
export function switchShortcuts(isOn: boolean): void {
  if (isOn) localStorage.removeItem(KEY);
  else localStorage.setItem(KEY, 'off');
  dispatchEvent(new Event(SWITCHED));
}

/** True unless the reader has switched off the single-character shortcuts in this browser. */
export function useShortcuts(): boolean {
  const [isOn, setOn] = useState(areOn);
  useEffect(() => {
    const read = (): void => setOn(areOn());
    addEventListener('storage', read);
    addEventListener(SWITCHED, read);
    return () => {
      removeEventListener('storage', read);
      removeEventListener(SWITCHED, read);
    };
  }, []);
  return isOn;
}

/**
 * Listens for single-character shortcuts, unless they are switched off or the key is typed into a field.
 * @returns false if they are switched off
 */
export function useShortcut(listen: (event: KeyboardEvent) => void, dependencies: readonly unknown[]): boolean {
  const isOn = useShortcuts();
  useEffect(() => {
    if (!isOn) return undefined;
    const handle = (event: KeyboardEvent): void => {
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
      listen(event);
    };
    addEventListener('keydown', handle);
    return () => removeEventListener('keydown', handle);
  }, [isOn, ...dependencies]);
  return isOn;
}

/** True if the element handles key presses, so that they are not shortcuts. */
function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.matches('input, textarea, select, [contenteditable], dialog *');
}
