import { useEffect, useMemo, useState } from 'preact/hooks';
import type { LiveChange } from '../../client/src/index';
import { client, hasStatus } from './api';
import { queries, readAgain, SESSION_KEY } from './queries';

/** How often pages poll without live changes, and how often with them. */
export const POLL_MS = 3_000;
const LIVE_MS = 60_000;
/** How often they poll what causes no live changes, and what rarely needs attention. */
export const REFRESH_MS = 10_000;
export const ATTENTION_MS = 30_000;
/**
 * Changes that arrive together are read together, and during a broadcast a page requests data no more often than this.
 */
const GATHER_MS = 200;
const PAUSE_MS = 1_500;
/** Delay before the next attempt when the connection was refused permanently. */
const AGAIN_MS = 60_000;

type Listener = (changes: readonly LiveChange[]) => Promise<void> | undefined;

const listeners = new Set<Listener>();
const observers = new Set<() => void>();
let isLive = false;
let gathered: LiveChange[] = [];
let timer: ReturnType<typeof setTimeout> | undefined;
let refetchedAt = 0;

/**
 * Follows changes, over one connection for the whole tab while it is shown, until it is stopped. Pages poll while there
 * is none. A hidden tab has no connection, because without HTTP/2 a browser opens six to a host for all tabs together:
 * a seventh tab would load nothing, and the others could not read or save either.
 */
export function followChanges(): () => void {
  const stopped = new AbortController();
  void follow(stopped.signal);
  return () => {
    stopped.abort();
    setLive(false);
  };
}

async function follow(signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await untilShown();
    const hidden = new AbortController();
    const listening = { once: true, signal: hidden.signal };
    document.addEventListener('visibilitychange', () => hidden.abort(), listening);
    try {
      for await (const change of client.live.follow({ signal: AbortSignal.any([signal, hidden.signal]) })) {
        if (change.type === 'paused') setLive(false);
        else if (change.type === 'ready') setLive(true);
        else gather(change);
      }
    } catch (error) {
      // The page stays as it is until it is shown again.
      if (hidden.signal.aborted) continue;
      setLive(false);
      if (signal.aborted) return;
      if (hasStatus(error, 401)) void queries.invalidateQueries({ queryKey: SESSION_KEY });
    } finally {
      hidden.abort();
    }
    await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
  }
}

function untilShown(): Promise<void> {
  if (document.visibilityState === 'visible') return Promise.resolve();
  return new Promise((resolve) => {
    document.addEventListener('visibilitychange', () => resolve(), { once: true });
  });
}

function setLive(now: boolean): void {
  // Reads changes that were missed while disconnected.
  if (now) gather({ type: 'refresh', at: new Date().toISOString() });
  if (now === isLive) return;
  isLive = now;
  for (const observe of observers) observe();
}

function gather(change: LiveChange): void {
  gathered.push(change);
  schedule();
}

function schedule(): void {
  timer ??= setTimeout(() => void refetch(), Math.max(GATHER_MS, refetchedAt + PAUSE_MS - Date.now()));
}

async function refetch(): Promise<void> {
  const changes = gathered;
  gathered = [];
  refetchedAt = Date.now();
  const keys = new Set(changes.flatMap(keysOf).map((key) => JSON.stringify(key)));
  const reads = [...keys].map((key) => readAgain(JSON.parse(key) as unknown[]));
  // The next reads would cancel these: with changes that arrive faster than a slow response, none would ever be shown.
  await Promise.allSettled([...reads, ...[...listeners].map((listener) => listener(changes))]);
  timer = undefined;
  if (gathered.length > 0) schedule();
}

/**
 * The queries that a change makes stale. No key of a list begins with one of these: it reloads its first page itself.
 */
function keysOf({ type, emailId, campaignId, webhookId }: LiveChange): readonly (readonly unknown[])[] {
  if (type === 'refresh')
    return [['overview'], ['stats'], ['email'], ['timeline'], ['campaign'], ['contact'], ['webhook']];
  if (type.startsWith('webhook.'))
    return [
      ['overview', 'webhooks'],
      ['webhook', webhookId],
    ];
  if (!type.startsWith('email.')) return [];
  const campaigns = campaignId === undefined ? [] : [['campaign', campaignId]];
  const made = type === 'email.accepted' ? [['overview', 'campaigns']] : [];
  // A change does not name its recipients.
  const all = [['overview', 'emails'], ['stats'], ['contact']];
  return [...all, ['email', emailId], ['timeline', emailId], ...campaigns, ...made];
}

/** True while live changes arrive. */
export function useIsLive(): boolean {
  const [state, show] = useState(isLive);
  useEffect(() => {
    const observe = (): void => show(isLive);
    observe();
    observers.add(observe);
    return () => void observers.delete(observe);
  }, []);
  return state;
}

/** The refetch interval of a query that is affected by changes, in milliseconds. */
export function useRefreshMs(): number {
  return useIsLive() ? LIVE_MS : POLL_MS;
}

/** Refreshes on changes of a kind, such as `email.`, and periodically, never twice at the same time. */
export function useRefresh(
  kind: string | undefined,
  refresh: () => Promise<void>,
  pollMs = kind === undefined ? REFRESH_MS : POLL_MS,
): void {
  const live = useIsLive() && kind !== undefined;
  const { poll, refreshAfter } = useMemo(() => oneAtATime(refresh), [refresh]);
  useEffect(() => {
    if (kind === undefined) return undefined;
    const listener: Listener = (changes) => {
      return changes.some(({ type }) => type === 'refresh' || type.startsWith(kind)) ? refreshAfter() : undefined;
    };
    listeners.add(listener);
    return () => void listeners.delete(listener);
  }, [kind, refreshAfter]);
  const everyMs = live ? LIVE_MS : pollMs;
  useEffect(() => {
    const interval = setInterval(() => document.visibilityState === 'visible' && poll(), everyMs);
    return () => clearInterval(interval);
  }, [everyMs, poll]);
}

function oneAtATime(refresh: () => Promise<void>) {
  let running: Promise<void> | undefined;
  const begin = (): Promise<void> => (running = refresh().finally(() => (running = undefined)));
  return {
    poll: (): void => void (running ?? begin()),
    /** A refresh that is under way may have begun before the change. */
    async refreshAfter(): Promise<void> {
      await running;
      await begin();
    },
  };
}
