import { useQuery } from '@tanstack/preact-query';
import { useState } from 'preact/hooks';
import { Link, useLocation } from 'wouter-preact';
import { client, hasStatus } from '../api';
import { Action } from '../components/action';
import { Badge, toneOf } from '../components/badge';
import { Download } from '../components/download';
import { Card, Figures, Page } from '../components/page';
import { PageFailure } from '../components/page-failure';
import { Empty, Loading } from '../components/states';
import { formatCount, formatRatio, Time } from '../format';
import { lastSegment } from '../last-segment';
import { useRefreshMs } from '../live';
import { isByMachine } from '../machines';
import type { ContactDetail } from '../types';
import { useLastError } from '../unread';
import { Suppressed, SuppressionAction } from './contact-suppression';

export default function ContactPage() {
  useLocation();
  const address = lastSegment(location.pathname);
  const contact = useQuery({
    queryKey: ['contact', address],
    queryFn: ({ signal }) => client.contacts.get(address, { signal }),
    refetchInterval: useRefreshMs(),
  });
  const error = useLastError(contact);
  if (hasStatus(error, 404)) return <NoContact address={address} />;
  if (error) return <PageFailure error={error} list={['/contacts', 'Contacts']} retry={() => void contact.refetch()} />;
  const { data } = contact;
  if (data === undefined) return <Loading />;
  return (
    <Page title={data.email} hint={<Badge state={data.status} />} actions={<Actions address={address} />}>
      <Suppressed address={address} />
      <Figures
        figures={[
          { label: 'Engagement score', value: formatCount(data.people.engagementScore), beside: 'of people' },
          { label: 'Emails', value: formatCount(data.totalEmails) },
          {
            label: 'Opens by people',
            value: formatCount(data.people.opens),
            beside: `${formatCount(data.totalOpens)} in all`,
          },
          {
            label: 'Clicks by people',
            value: formatCount(data.people.clicks),
            beside: `${formatCount(data.totalClicks)} in all`,
          },
          { label: 'Opens per email', value: formatRatio(data.openRate), beside: 'by people and machines' },
          { label: 'Bounces', value: formatCount(data.bounces) },
        ]}
      />
      <div class="with-aside">
        <Card title="Timeline">
          <History contact={data} />
        </Card>
        <Card title="Details">
          <dl class="facts">
            <dt>First seen</dt>
            <dd>
              <Time at={data.firstSeen} />
            </dd>
            <dt>Last activity</dt>
            <dd>
              <Time at={data.lastActivity} />
            </dd>
            <dt>Campaigns</dt>
            <dd>{data.campaigns.join(', ') || '–'}</dd>
            <dt>Complaints</dt>
            <dd>{formatCount(data.complaints)}</dd>
          </dl>
          <p>
            <Link href={`/emails?recipient=${encodeURIComponent(address)}`}>All emails to this address</Link>
          </p>
        </Card>
      </div>
    </Page>
  );
}

/** An address can be suppressed before any email has gone to it. */
function NoContact({ address }: { readonly address: string }) {
  return (
    <Page title={address} actions={<SuppressionAction address={address} />}>
      <Suppressed address={address} />
      <Empty title="No email has gone to this address" />
    </Page>
  );
}

function Actions({ address }: { readonly address: string }) {
  const [, go] = useLocation();
  return (
    <>
      <Download path={`/api/contacts/${encodeURIComponent(address)}/export`} filename={`${address}.json`} />
      <SuppressionAction address={address} />
      <Action
        label="Erase"
        scope="manage"
        isDangerous
        question={
          `Everything stored about ${address} is erased for good: the contact and its timeline, the emails that went to ` +
          'nobody else, reports, webhooks, and entries in broadcasts. Queued mail to it is canceled. Totals of ' +
          'campaigns stay. A complaint or an unsubscription is still respected, although the address is no longer readable.'
        }
        run={() => client.contacts.erase(address)}
        onDone={() => go('/contacts')}
      />
    </>
  );
}

/** The timeline of a busy contact has thousands of events. */
const SHOWN = 100;

function History({ contact }: { readonly contact: ContactDetail }) {
  const [shown, show] = useState(SHOWN);
  if (contact.timeline.length === 0) return <p class="muted">Nothing has happened yet.</p>;
  return (
    <>
      <ol class="timeline">
        {contact.timeline.slice(0, shown).map((event, place) => (
          <li key={place} class={isByMachine(event.class) ? 'plain' : toneOf(event.type)}>
            <div class="what">
              <span>
                <strong>{event.type}</strong>{' '}
                <Link dir="auto" href={`/emails/${event.emailId}`}>
                  {event.subject}
                </Link>{' '}
                {event.class !== undefined && event.class !== 'human' && <Badge state={event.class} tone="plain" />}
              </span>
              <span class="muted">
                <Time at={event.timestamp} />
              </span>
            </div>
            {event.link !== undefined && <span class="hint">{event.link}</span>}
          </li>
        ))}
      </ol>
      {contact.timeline.length > shown && (
        <button type="button" onClick={() => show(shown + SHOWN)}>
          Show more
        </button>
      )}
    </>
  );
}
