import { useEffect, useState } from 'preact/hooks';

/** A number that changes with the colors of the page, for drawings without CSS. */
export function useColorChanges(): number {
  const [changes, count] = useState(0);
  useEffect(() => {
    const change = (): void => count((before) => before + 1);
    const system = matchMedia('(prefers-color-scheme: dark)');
    const choice = new MutationObserver(change);
    system.addEventListener('change', change);
    choice.observe(document.documentElement, { attributeFilter: ['data-theme'] });
    return () => {
      system.removeEventListener('change', change);
      choice.disconnect();
    };
  }, []);
  return changes;
}

/** The current colors of custom properties inside the element. */
export function colorsIn(element: HTMLElement, properties: readonly string[]): string[] {
  const probe = element.appendChild(document.createElement('span'));
  const colors = properties.map((property) => {
    probe.style.color = `var(${property})`;
    return getComputedStyle(probe).color;
  });
  probe.remove();
  return colors;
}
