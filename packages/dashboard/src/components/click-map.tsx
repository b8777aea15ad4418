import { useQuery } from '@tanstack/preact-query';
import { useCallback } from 'preact/hooks';
import { client, hasStatus } from '../api';
import { formatCount, formatPercent, plural } from '../format';
import { useRefreshMs } from '../live';
import { useLastError } from '../unread';
import { ContentFailure } from './content-failure';
import { HtmlPreview } from './html-preview';
import { Loading } from './states';

interface ClickMapProps {
  /** The subject of the map: an email, or a whole campaign. */
  readonly of: 'emails' | 'campaigns';
  readonly id: string;
  readonly title: string;
}

/** A message with the share of the clicks by people on each of its links. */
export function ClickMapView({ of, id, title }: ClickMapProps) {
  const refreshMs = useRefreshMs();
  const map = useQuery({
    queryKey: [of === 'emails' ? 'email' : 'campaign', id, 'click-map'],
    queryFn: ({ signal }) => client[of].clickMap(id, { signal }),
    // Deleted content does not come back.
    refetchInterval: ({ state }) => (hasStatus(state.error, 404) ? false : refreshMs),
  });
  const { data } = map;
  const error = useLastError(map);
  const mark = useCallback((page: Document) => data?.links.forEach((link) => addShare(page, link)), [data?.links]);
  if (error) return <ContentFailure error={error} retry={() => void map.refetch()} />;
  if (map.isPending) return <Loading fillsView />;
  if (!data || data.emailId === null) return <p class="muted">No emails yet.</p>;
  return (
    <div class="stack tight">
      <HtmlPreview html={data.html} title={`clicks in ${title}`} mark={mark} css={STYLE} />
      <p class="hint">
        Each link has its share of the clicks by people
        {of === 'campaigns' &&
          ` in ${data.isComplete ? '' : 'the newest '}${plural(data.emails, 'email')}, on the HTML of the newest email`}
        .
      </p>
    </div>
  );
}

/** Differs visibly from the message, and stands out on any color. */
const STYLE = `[data-share] { display: inline-block; margin-left: 4px; padding: 0 6px; border-radius: 9px;
  font: 600 11px/17px system-ui, sans-serif; color: #fff; background: #4338ca; box-shadow: 0 0 0 1px #fff }
[data-share="0 %"] { background: #5b6070 }`;

interface Link {
  readonly position: number;
  readonly share: number;
  readonly people: number;
}

/** Puts a badge into a tracked link, which leads to `#link-` and its position. */
function addShare(page: Document, { position, share, people }: Link): void {
  const text = formatPercent(Math.round(share * 1_000) / 10);
  for (const link of page.querySelectorAll(`[href="#link-${position}"]`)) {
    const badge = page.createElement('span');
    badge.dataset['share'] = text;
    badge.textContent = text;
    badge.title = `${formatCount(people)} clicks by people`;
    link.append(badge);
  }
}
