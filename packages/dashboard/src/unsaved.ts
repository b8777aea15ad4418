import { useLayoutEffect, useRef } from 'preact/hooks';
import type { AroundNavHandler } from 'wouter-preact';

const QUESTION = 'Your latest changes are not saved. Leave this page without them?';

/**
 * Something in a dialog that closing it would lose: input that was not submitted, or was refused, or a shown secret.
 */
export interface Loss {
  /** Asked before that, instead of the question about input. */
  readonly question?: string | undefined;
}

export type Losses = Set<Loss>;

/** The forms of pages with changes that are not saved. */
const unsaved = new Set<object>();
/** The dialogs with input or a secret: only the user may close one. */
const dialogsWithWork = new Set<object>();
/** Of each open dialog, what closing it would lose. */
const losses = new Set<Losses>();
/** Called when `hasWork` may have changed. */
const followers = new Set<() => void>();
/** The address of the page that has them, or the dialog. */
let address = '';

/** Asks before the page is left, the tab is closed or the back button is used while changes are not saved. */
export function useUnsaved(isUnsaved: boolean): void {
  useMember(unsaved, isUnsaved, () => (address = location.href));
}

/** Keeps the page with an open dialog when the session ends. */
export function useDialogWork(hasWork: boolean): void {
  useMember(dialogsWithWork, hasWork);
}

/** Asks before the page with an open dialog is left, the tab is closed or the back button is used. */
export function useLosses(ofDialog: Losses): void {
  useLayoutEffect(() => {
    address = location.href;
    losses.add(ofDialog);
    return () => void losses.delete(ofDialog);
  }, []);
}

/** True if leaving the page would lose something. */
function hasUnsaved(): boolean {
  return unsaved.size > 0 || [...losses].some(({ size }) => size > 0);
}

function useMember(set: Set<object>, isMember: boolean, onAdd?: () => void): void {
  const { current: member } = useRef({});
  // Before the page shows it: effects wait for a frame, which a hidden tab never has and a busy page has late. Until
  // then, the page could be left without a question, and the sign-in could replace it.
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

/** Ends the protection of all forms of the page and its dialogs, such as when its item is deleted. */
export function discardUnsaved(): void {
  unsaved.clear();
  for (const ofDialog of losses) ofDialog.clear();
}

/** Wraps navigation by links and by code. */
export const askBeforeLeaving: AroundNavHandler = (navigate, to, options) => {
  if (mayGo(new URL(to, location.href))) navigate(to, options);
};

/** True if a sign-in in place of the page would discard work, or a dialog with its result. */
export function hasWork(): boolean {
  return unsaved.size > 0 || dialogsWithWork.size > 0;
}

/** Calls back when `hasWork` may have changed. @returns stops it */
export function followWork(changed: () => void): () => void {
  followers.add(changed);
  return () => void followers.delete(changed);
}

/** Asks whether changes that are not saved, or a secret that was not copied, may be lost. */
export function mayGiveUp(): boolean {
  if (!hasUnsaved()) return true;
  const [loss] = unsaved.size > 0 ? [] : [...losses].flatMap((ofDialog) => [...ofDialog]);
  return confirm(loss?.question ?? QUESTION);
}

/** Loads the dashboard again after `mayGiveUp`: the browser does not ask once more. */
export function startOver(): void {
  discardUnsaved();
  location.assign('/');
}

/** A new query or fragment stays on the page. */
function mayGo({ pathname }: { readonly pathname: string }): boolean {
  return (hasUnsaved() && pathname === new URL(address).pathname) || mayGiveUp();
}

addEventListener('beforeunload', (event) => {
  if (hasUnsaved()) event.preventDefault();
});

// The browser has already gone to the other entry of its history. This listener is registered before those of the
// router, so the page is still shown, and a new entry keeps it.
addEventListener('popstate', () => {
  if (!mayGo(location)) history.pushState(null, '', address);
});
