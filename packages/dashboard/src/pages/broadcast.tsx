import { useQuery } from '@tanstack/preact-query';
import { useRef } from 'preact/hooks';
import { Link, useParams } from 'wouter-preact';
import { client } from '../api';
import { Action } from '../components/action';
import { Badge } from '../components/badge';
import { HtmlPreview } from '../components/html-preview';
import { Card, Figures, Page } from '../components/page';
import { PageFailure } from '../components/page-failure';
import { Progress } from '../components/progress';
import { Failure, Loading } from '../components/states';
import { formatCount, Time } from '../format';
import { useCan } from '../session';
import type { Broadcast } from '../types';
import { BroadcastDraft } from './broadcast-draft';

const REFRESH_MS = 1_000;
const ENDED: readonly Broadcast['status'][] = ['sent', 'canceled'];

export default function BroadcastPage() {
  const { id } = useParams<{ id: string }>();
  // A role that is lowered later does not replace the form, with what was typed into it.
  const canSend = useCan('send');
  const canEdit = useRef(canSend);
  canEdit.current ||= canSend;
  const broadcast = useQuery({
    queryKey: ['broadcast', id],
    queryFn: ({ signal }) => client.broadcasts.get(id, { signal }),
    refetchInterval: ({ state }) => (state.data?.progress.queued === 0 && isOver(state.data) ? false : REFRESH_MS),
  });
  if (broadcast.isPending) return <Loading />;
  if (broadcast.isLoadingError)
    return (
      <PageFailure
        error={broadcast.error}
        list={['/broadcasts', 'Broadcasts']}
        retry={() => void broadcast.refetch()}
      />
    );
  if (broadcast.data.status === 'draft' && canEdit.current)
    return <BroadcastDraft key={id} broadcast={broadcast.data} />;
  return <Running broadcast={broadcast.data} />;
}

function isOver({ status }: Broadcast): boolean {
  return ENDED.includes(status);
}

function Running({ broadcast }: { readonly broadcast: Broadcast }) {
  const { id, name, status, progress, waitsUntil, sendAt, campaignId } = broadcast;
  return (
    <Page title={name} hint={<Badge state={status} />} actions={<Moves broadcast={broadcast} />}>
      {status === 'scheduled' && (
        <p class="notice">
          Begins <Time at={sendAt} />. Until then it can be paused and canceled.
        </p>
      )}
      {waitsUntil !== null && (
        <p class="notice warn">
          Today's email budget is used up. Sending resumes <Time at={waitsUntil} />.
        </p>
      )}
      <div class="card">
        <Progress broadcast={broadcast} />
      </div>
      <Figures
        figures={(['total', 'queued', 'sent', 'failed', 'suppressed', 'canceled'] as const).map((figure) => ({
          label: figure === 'total' ? 'Recipients' : figure[0]!.toUpperCase() + figure.slice(1),
          value: formatCount(progress[figure]),
        }))}
      />
      {campaignId !== null && (
        <p class="actions">
          <Link class="button" href={`/campaigns/${campaignId}`}>
            Opens and clicks
          </Link>
          <Link class="button" href={`/emails?campaignId=${campaignId}`}>
            Its emails
          </Link>
          {progress.failed > 0 && (
            <Link class="button" href={`/emails?campaignId=${campaignId}&status=failed`}>
              Failed emails
            </Link>
          )}
        </p>
      )}
      <div class="columns">
        <Facts broadcast={broadcast} />
        <Message id={id} />
      </div>
    </Page>
  );
}

function Facts({ broadcast }: { readonly broadcast: Broadcast }) {
  const { from, replyTo, subject, pace, tags, sendAt, startedAt, endedAt } = broadcast;
  const facts = [
    ['From', from],
    ['Reply to', replyTo ?? 'the sender'],
    ['Subject', <bdi key="subject">{subject}</bdi>],
    ['Pace', pace === null ? 'as fast as possible' : `${formatCount(pace)} emails a minute`],
    ['Tags', tags.join(', ') || '–'],
    ['Scheduled', <Time key="scheduled" at={sendAt} none="at once" />],
    ['Started', <Time key="started" at={startedAt} />],
    ['Ended', <Time key="ended" at={endedAt} />],
  ] as const;
  return (
    <Card title="Details">
      <dl class="facts">
        {facts.map(([name, value]) => (
          <>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </>
        ))}
      </dl>
    </Card>
  );
}

function Message({ id }: { readonly id: string }) {
  const message = useQuery({
    queryKey: ['broadcast-message', id],
    queryFn: ({ signal }) => client.broadcasts.message(id, { signal }),
    staleTime: Infinity,
  });
  return (
    <Card title="Message">
      <p class="hint">The original message: each copy has the values of its recipient.</p>
      {message.isPending && <Loading rows={2} />}
      {message.isLoadingError && <Failure error={message.error} retry={() => void message.refetch()} />}
      {message.data !== undefined &&
        (message.data.htmlContent === null ? (
          <pre dir="auto">{message.data.textContent}</pre>
        ) : (
          <HtmlPreview html={message.data.htmlContent} title={message.data.subject} />
        ))}
    </Card>
  );
}

function Moves({ broadcast: { id, status } }: { readonly broadcast: Broadcast }) {
  const pauses = status === 'sending' || status === 'scheduled';
  return (
    <>
      {pauses && <Action label="Pause" scope="send" run={() => client.broadcasts.pause(id)} />}
      {status === 'paused' && <Action label="Resume" scope="send" isPrimary run={() => client.broadcasts.resume(id)} />}
      {(pauses || status === 'paused') && (
        <Action
          label="Cancel"
          scope="send"
          isDangerous
          question="Recipients who have not been emailed yet will not be. This cannot be undone."
          run={() => client.broadcasts.cancel(id)}
        />
      )}
    </>
  );
}
