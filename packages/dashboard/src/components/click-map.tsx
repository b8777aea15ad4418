import { useQuery } from '@tanstack/preact-query';
import { client } from '../api';
import { formatCount, formatPercent, plural } from '../format';
import { useRefreshMs } from '../live';
import type { ClickMap } from '../types';
import { HtmlPreview } from './html-preview';
import { LinksTable } from './links-table';
import { Failure, Loading } from './states';

interface ClickMapProps {
  /** What was clicked: an email, or all of a campaign. */
  readonly of: 'emails' | 'campaigns';
  readonly id: string;
  readonly title: string;
}

/** A message as recipients see it, with the share of the clicks by people on each of its links. */
export function ClickMapView({ of, id, title }: ClickMapProps) {
  const map = useQuery({
    queryKey: [of === 'emails' ? 'email' : 'campaign', id, 'click-map'],
    queryFn: ({ signal }) => client[of].clickMap(id, { signal }),
    refetchInterval: useRefreshMs(),
  });
  if (map.isPending) return <Loading />;
  if (map.isError && !map.data) return <Failure error={map.error} retry={() => void map.refetch()} />;
  const { html, emails, isComplete, links, emailId } = map.data;
  if (emailId === null) return <p class="muted">No emails yet.</p>;
  return (
    <div class="stack">
      <HtmlPreview html={withShares(html, links)} title={`clicks in ${title}`} />
      {of === 'campaigns' && (
        <p class="hint">
          The HTML of the newest email, with the clicks in {plural(emails, 'email')}
          {!isComplete && `, the newest of the campaign`}.
        </p>
      )}
      <LinksTable label="Links by place" links={links} none="This message has no tracked links." />
    </div>
  );
}

/** Looks like no part of the message, and stands out on any colour. */
const STYLE = `[data-share] { display: inline-block; margin-left: 4px; padding: 0 6px; border-radius: 9px;
  font: 600 11px/17px system-ui, sans-serif; color: #fff; background: #4338ca; box-shadow: 0 0 0 1px #fff }
[data-share="0 %"] { background: #5b6070 }`;

/** The same HTML with a badge after each tracked link, which leads to `#link-` and its position. */
function withShares(html: string, links: ClickMap['links']): string {
  const page = new DOMParser().parseFromString(html, 'text/html');
  for (const { position, share, people } of links) {
    const text = formatPercent(Math.round(share * 1_000) / 10);
    for (const link of page.querySelectorAll(`[href="#link-${position}"]`)) {
      const badge = page.createElement('span');
      badge.dataset['share'] = text;
      badge.textContent = text;
      badge.title = `${formatCount(people)} clicks by people`;
      link.append(badge);
    }
  }
  const style = page.createElement('style');
  style.textContent = STYLE;
  page.head.append(style);
  return page.documentElement.outerHTML;
}
