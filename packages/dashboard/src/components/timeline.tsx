import { useInfiniteQuery } from '@tanstack/preact-query';
import { client } from '../api';
import { plural, Time } from '../format';
import { useRefreshMs } from '../live';
import { isByMachine } from '../machines';
import type { TimelineEntry } from '../types';
import { Badge, toneOf } from './badge';
import { Failure, Loading } from './states';

/** Deliveries of webhooks cause no live changes. */
const WEBHOOK_MS = 3_000;
/** After this time, a delivery that is pending waits for its next attempt. */
const FIRST_ATTEMPT_MS = 60_000;

/** Everything that happened to an email, oldest first. */
export function Timeline({ id }: { readonly id: string }) {
  const refreshMs = useRefreshMs();
  const query = useInfiniteQuery({
    queryKey: ['timeline', id],
    queryFn: ({ pageParam: cursor, signal }) => {
      return client.emails.timeline(id, cursor === '' ? {} : { cursor }, { signal }).first();
    },
    initialPageParam: '',
    getNextPageParam: ({ nextCursor }) => nextCursor,
    refetchInterval: ({ state: { data } }) =>
      data?.pages.some(({ items }) => items.some(awaitsWebhook)) ? WEBHOOK_MS : refreshMs,
  });
  if (query.isPending) return <Loading />;
  if (query.isLoadingError) return <Failure error={query.error} retry={() => void query.refetch()} />;
  return (
    <>
      <ol class="timeline">
        {query.data.pages
          .flatMap(({ items }) => items)
          .map((entry, place) => (
            <Entry key={place} entry={entry} />
          ))}
      </ol>
      {query.hasNextPage && (
        <button type="button" onClick={() => void query.fetchNextPage()}>
          Show more
        </button>
      )}
    </>
  );
}

function awaitsWebhook({ webhook, at }: TimelineEntry): boolean {
  return webhook?.status === 'pending' && Date.now() - Date.parse(at) < FIRST_ATTEMPT_MS;
}

/** The reason of an open or a click without any sign of a machine. */
const NO_REASON = 'none';

function Entry({ entry }: { readonly entry: TimelineEntry }) {
  const { type, at, recipient, reason, smtpStatus, bounce, link, class: kind, certainty, webhook } = entry;
  const byMachine = isByMachine(kind);
  const words = [smtpStatus, reason === NO_REASON ? '' : reason].filter(Boolean).join(' ');
  const why = byMachine && certainty !== undefined ? `${words}, ${certainty}` : words;
  return (
    <li class={byMachine ? 'plain' : toneOf(webhook?.status ?? type)}>
      <div class="what">
        <span>
          <strong>{webhook === undefined || webhook === null ? type : `webhook ${webhook.event}`}</strong>
          {bounce && ` (${bounce})`} {recipient && <span class="muted">{recipient}</span>}{' '}
          {kind && <Badge state={byMachine ? kind : 'person'} tone={byMachine ? 'plain' : 'info'} />}
        </span>
        <span class="muted">
          <Time at={at} />
        </span>
      </div>
      {link && <span class="hint">{link}</span>}
      {why !== '' && <span class="hint">{why}</span>}
      {webhook && (
        <span class="hint">
          {webhook.status}
          {webhook.responseStatus !== null && ` with ${webhook.responseStatus}`}, {plural(webhook.attempts, 'attempt')}
          {webhook.error !== null && `: ${webhook.error}`}
        </span>
      )}
    </li>
  );
}
