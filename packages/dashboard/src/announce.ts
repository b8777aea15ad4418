const ID = 'announcements';

/** The attributes of the element in which screen readers find the texts below. */
export const ANNOUNCEMENTS = { id: ID, class: 'visually-hidden', role: 'status' } as const;

/**
 * Tells readers who do not see it what has changed on the page, after a dialog that is being closed, which hides it.
 */
export function announce(text: string): void {
  setTimeout(() => {
    const place = document.getElementById(ID);
    if (place) place.textContent = text;
  });
}
