import { useQuery } from '@tanstack/preact-query';
import { useState } from 'preact/hooks';
import { Link, Redirect, useParams } from 'wouter-preact';
import { client } from '../api';
import { Action } from '../components/action';
import { Badge } from '../components/badge';
import { ClickMapView } from '../components/click-map';
import { Headers, TextPart } from '../components/email-source';
import { EmailStatus, statesOf } from '../components/email-status';
import { LinksTable } from '../components/links-table';
import { Card, Figures, Page } from '../components/page';
import { PageFailure } from '../components/page-failure';
import { Preview } from '../components/preview';
import { Loading } from '../components/states';
import { Tabs } from '../components/tabs';
import { Timeline } from '../components/timeline';
import { formatBytes, formatCount, Time } from '../format';
import { useRefreshMs } from '../live';
import { shownName } from '../shown-name';
import type { Email } from '../types';

const VIEWS = ['Timeline', 'Preview', 'Text', 'Headers', 'Links', 'JSON'] as const;

type View = (typeof VIEWS)[number];

export default function EmailPage() {
  const { id } = useParams<{ id: string }>();
  const email = useQuery({
    queryKey: ['email', id],
    queryFn: ({ signal }) => client.emails.get(id, { signal }),
    refetchInterval: useRefreshMs(),
  });
  const [view, setView] = useState<View>('Timeline');
  if (email.isPending) return <Loading />;
  if (email.isLoadingError)
    return <PageFailure error={email.error} list={['/emails', 'Emails']} retry={() => void email.refetch()} />;
  const { data } = email;
  // Live events name the ID, and the address can have the tracking ID.
  if (data.id !== id) return <Redirect to={`/emails/${data.id}`} replace />;
  return (
    <Page
      title={data.subject}
      hint={
        <>
          <EmailStatus status={data.status} states={statesOf(data.recipients)} /> to {data.to.join(', ')}
        </>
      }
      actions={<Actions email={data} />}
    >
      {data.possibleDuplicate && (
        <p class="notice warn">
          A worker crashed or a connection dropped during delivery: this email may have been sent twice.
        </p>
      )}
      {data.lastError !== null && <p class="notice bad">{data.lastError}</p>}
      <Figures
        figures={[
          {
            label: 'Opens by people',
            value: formatCount(data.people.opens),
            beside: `${formatCount(data.opens)} in all`,
          },
          {
            label: 'Clicks by people',
            value: formatCount(data.people.clicks),
            beside: `${formatCount(data.clicks)} in all`,
          },
          {
            label: 'By machines',
            value: formatCount(data.machines.opens + data.machines.clicks),
            beside: 'prefetching, previews, scanners',
          },
          { label: 'Attempts', value: formatCount(data.attempts) },
        ]}
      />
      <div class="with-aside">
        <Tabs label="Views of this email" names={VIEWS} chosen={view} choose={(name: View) => setView(name)}>
          {view === 'Timeline' && <Timeline id={id} />}
          {view === 'Preview' && <Preview id={id} title={data.subject} />}
          {view === 'Text' && <TextPart id={id} />}
          {view === 'Headers' && <Headers email={data} />}
          {view === 'Links' && (
            <div class="columns">
              <LinksTable
                links={data.links.map(({ originalUrl, people, clicks }) => ({ url: originalUrl, people, clicks }))}
                none="This email has no links, or none were stored yet."
              />
              <ClickMapView of="emails" id={id} title={data.subject} />
            </div>
          )}
          {view === 'JSON' && <pre>{JSON.stringify(data, null, 2)}</pre>}
        </Tabs>
        <div class="stack">
          <Card title="Recipients">
            <Recipients email={data} />
          </Card>
          <Card title="Details">
            <Facts email={data} />
          </Card>
        </div>
      </div>
    </Page>
  );
}

/** How the reason of a failure begins that is no proof that nobody got the email. */
const IN_DOUBT = 'Delivery outcome unknown';

function Actions({ email }: { readonly email: Email }) {
  const isOpen = email.status === 'queued' || email.status === 'scheduled';
  return (
    <>
      {email.status === 'failed' && (
        <Action
          label="Retry"
          scope="send"
          isPrimary
          {...(email.lastError?.startsWith(IN_DOUBT) && {
            question: 'The provider may have accepted this email already: its recipients may get it twice.',
          })}
          run={() => client.emails.retry(email.id)}
        />
      )}
      {isOpen && (
        <Action
          label="Cancel this email"
          scope="send"
          isDangerous
          question="It will not be sent to anyone. This cannot be undone."
          run={() => client.emails.cancel(email.id)}
        />
      )}
    </>
  );
}

function Recipients({ email }: { readonly email: Email }) {
  return (
    <dl class="facts">
      {email.recipients.map(({ address, kind, state, reason, smtpStatus }) => (
        <>
          <dt>{kind}</dt>
          <dd key={`${kind}${address}`}>
            <Link href={`/contacts/${encodeURIComponent(address)}`}>{address}</Link> <Badge state={state} />
            {reason !== null && (
              <div class="hint">
                {smtpStatus} {reason}
              </div>
            )}
          </dd>
        </>
      ))}
    </dl>
  );
}

function Facts({ email }: { readonly email: Email }) {
  const facts: readonly (readonly [string, preact.ComponentChildren])[] = [
    ['From', email.from ?? '–'],
    ['Reply to', email.replyTo ?? '–'],
    [
      'Campaign',
      email.campaign === null ? (
        '–'
      ) : (
        <Link dir="auto" href={`/emails?campaignId=${encodeURIComponent(email.campaign)}`}>
          {shownName(email.campaign)}
        </Link>
      ),
    ],
    ['Tags', email.tags.length > 0 ? email.tags.join(', ') : '–'],
    ['Accepted', <Time at={email.createdAt} />],
    ['Scheduled', <Time at={email.sendAt} none="at once" />],
    ['Sent', <Time at={email.sentAt} none="not yet" />],
    [
      'Attachments',
      email.attachments.map(({ filename, size }) => `${filename} (${formatBytes(size)})`).join(', ') || '–',
    ],
    ['Provider ID', <span class="mono">{email.providerId ?? '–'}</span>],
  ];
  return (
    <dl class="facts">
      {facts.map(([name, value]) => (
        <>
          <dt>{name}</dt>
          <dd key={name}>{value}</dd>
        </>
      ))}
    </dl>
  );
}
