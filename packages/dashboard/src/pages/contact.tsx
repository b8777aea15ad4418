import { useQuery } from '@tanstack/preact-query';
import { Link, useParams } from 'wouter-preact';
import { client } from '../api';
import { Action } from '../components/action';
import { Badge, toneOf } from '../components/badge';
import { Card, Figures, Page } from '../components/page';
import { Failure, Loading } from '../components/states';
import { formatCount, formatPercent, Time } from '../format';
import type { ContactDetail } from '../types';

export default function ContactPage() {
  const { email } = useParams<{ email: string }>();
  const address = decodeURIComponent(email);
  const contact = useQuery({
    queryKey: ['contact', address],
    queryFn: ({ signal }) => client.contacts.get(address, { signal }),
  });
  if (contact.isPending) return <Loading />;
  if (contact.isError) return <Failure error={contact.error} retry={() => void contact.refetch()} />;
  const { data } = contact;
  return (
    <Page title={data.email} hint={<Badge state={data.status} />} actions={<Actions address={address} />}>
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
          { label: 'Open rate', value: formatPercent(data.openRate) },
          { label: 'Bounces', value: formatCount(data.bounces) },
        ]}
      />
      <div class="columns">
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

function Actions({ address }: { readonly address: string }) {
  return (
    <>
      <Action
        label="Suppress"
        scope="manage"
        question={`No more mail goes to ${address} until you remove it from the suppressions.`}
        run={() => client.suppressions.add({ address })}
      />
    </>
  );
}

function History({ contact }: { readonly contact: ContactDetail }) {
  if (contact.timeline.length === 0) return <p class="muted">Nothing has happened yet.</p>;
  return (
    <ol class="timeline">
      {contact.timeline.map((event, place) => (
        <li key={place} class={toneOf(event.type)}>
          <div class="what">
            <span>
              <strong>{event.type}</strong> {event.subject}{' '}
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
  );
}
