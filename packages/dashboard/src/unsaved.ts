import { useLayoutEffect, useRef } from 'preact/hooks';
import type { AroundNavHandler } from 'wouter-preact';

const QUESTION = 'Your latest changes are not saved. Leave this page without them?';

/** The forms with changes that are not saved. */
const unsaved = new Set<object>();
/** The dialogs in which something was typed: only the user may close one. */
const typed = new Set<object>();
/** Of each open dialog, the forms with something that was typed and not submitted, or refused. */
const typedForms = new Set<ReadonlySet<object>>();
/** Called when there is work that is not saved, or none any more. */
const followers = new Set<() => void>();
/** The address of the page that has them, or the dialog. */
let address = '';

/** Asks before the page is left, the tab is closed or the back button is used while changes are not saved. */
export function useUnsaved(isUnsaved: boolean): void {
  useMember(unsaved, isUnsaved, () => (address = location.href));
}

/** Keeps the page with an open dialog when the session ends. */
export function useTyped(isTyped: boolean): void {
  useMember(typed, isTyped);
}

/** Asks before the page with an open dialog is left, the tab is closed or the back button is used. */
export function useTypedForms(forms: ReadonlySet<object>): void {
  useLayoutEffect(() => {
    address = location.href;
    typedForms.add(forms);
    return () => void typedForms.delete(forms);
  }, []);
}

function losesWork(): boolean {
  return unsaved.size > 0 || [...typedForms].some(({ size }) => size > 0);
}

function useMember(set: Set<object>, isMember: boolean, onAdd?: () => void): void {
  const { current: member } = useRef({});
  // Before the page shows it: effects wait for a frame, which a hidden tab never has and a busy page has late. Until then,
  // the page could be left without a question, and the sign-in could replace it.
  useLayoutEffect(() => {
    if (!isMember) return undefined;
    onAdd?.();
    set.add(member);
    for (const changed of followers) changed();
    return () => {
      set.delete(member);
      for (const changed of followers) changed();
    };
  }, [isMember]);
}

/** Ends the protection of all forms of the page, such as when its item is deleted. */
export function discardUnsaved(): void {
  unsaved.clear();
}

/** Wraps navigation by links and by code. */
export const askBeforeLeaving: AroundNavHandler = (navigate, to, options) => {
  if (mayGo(new URL(to, location.href))) navigate(to, options);
};

/** True if a sign-in in place of the page would discard work. */
export function hasUnsaved(): boolean {
  return unsaved.size > 0 || typed.size > 0;
}

/** Calls back when `hasUnsaved` may have changed. @returns stops it */
export function followUnsaved(changed: () => void): () => void {
  followers.add(changed);
  return () => void followers.delete(changed);
}

/** Asks whether changes that are not saved may be lost. */
export function mayGiveUp(): boolean {
  return !losesWork() || confirm(QUESTION);
}

/** Loads the dashboard again after `mayGiveUp`: the browser does not ask once more. */
export function startOver(): void {
  discardUnsaved();
  location.assign('/');
}

/** A new query or fragment stays on the page. */
function mayGo({ pathname }: { readonly pathname: string }): boolean {
  return (losesWork() && pathname === new URL(address).pathname) || mayGiveUp();
}

addEventListener('beforeunload', (event) => {
  if (losesWork()) event.preventDefault();
});

// The browser has already gone to the other entry of its history. This listener is registered before those of the
// router, so the page is still shown, and a new entry keeps it.
addEventListener('popstate', () => {
  if (!mayGo(location)) history.pushState(null, '', address);
});
