import { useQuery } from '@tanstack/preact-query';
import { useState } from 'preact/hooks';
import { Link, useLocation, useParams } from 'wouter-preact';
import { client } from '../api';
import { Action, Form } from '../components/action';
import { Badge } from '../components/badge';
import { Card, Figures, Page } from '../components/page';
import { Progress } from '../components/progress';
import { Failure, Loading } from '../components/states';
import { formatCount, plural, Time } from '../format';
import { useCan } from '../session';
import type { Broadcast, UploadedRecipients } from '../types';

const REFRESH_MS = 1_000;

export default function BroadcastPage() {
  const { id } = useParams<{ id: string }>();
  const broadcast = useQuery({
    queryKey: ['broadcast', id],
    queryFn: ({ signal }) => client.broadcasts.get(id, { signal }),
    refetchInterval: REFRESH_MS,
  });
  if (broadcast.isPending) return <Loading />;
  if (broadcast.isError) return <Failure error={broadcast.error} retry={() => void broadcast.refetch()} />;
  const { name, status, from, subject, campaignId, sendAt, startedAt, endedAt, progress } = broadcast.data;
  return (
    <Page title={name} hint={<Badge state={status} />} actions={<Actions broadcast={broadcast.data} />}>
      <div class="card">
        <Progress progress={progress} />
      </div>
      <Figures
        figures={(['total', 'queued', 'sent', 'failed', 'suppressed', 'canceled'] as const).map((figure) => ({
          label: figure === 'total' ? 'Recipients' : figure[0]!.toUpperCase() + figure.slice(1),
          value: formatCount(progress[figure]),
        }))}
      />
      <div class="columns">
        <Card title="Message">
          <dl class="facts">
            <dt>From</dt>
            <dd>{from}</dd>
            <dt>Subject</dt>
            <dd>{subject}</dd>
            <dt>Scheduled</dt>
            <dd>
              <Time at={sendAt} />
            </dd>
            <dt>Started</dt>
            <dd>
              <Time at={startedAt} />
            </dd>
            <dt>Ended</dt>
            <dd>
              <Time at={endedAt} />
            </dd>
          </dl>
          {campaignId !== null && (
            <p>
              <Link href={`/campaigns/${campaignId}`}>Its campaign, with opens and clicks</Link>
            </p>
          )}
        </Card>
        {status === 'draft' && <Recipients id={id} />}
      </div>
    </Page>
  );
}

function Actions({ broadcast }: { readonly broadcast: Broadcast }) {
  const [, go] = useLocation();
  const { id, status, progress } = broadcast;
  return (
    <>
      {status === 'draft' && (
        <>
          <Action
            label="Send"
            scope="send"
            isPrimary
            question={`${plural(progress.total, 'recipient')} get this message now.`}
            run={() => client.broadcasts.send(id)}
          />
          <Action
            label="Delete"
            scope="send"
            isDangerous
            question="The draft and its recipients are deleted."
            run={() => client.broadcasts.delete(id)}
            onDone={() => go('/broadcasts')}
          />
        </>
      )}
      {status === 'sending' && <Action label="Pause" scope="send" run={() => client.broadcasts.pause(id)} />}
      {status === 'paused' && <Action label="Resume" scope="send" isPrimary run={() => client.broadcasts.resume(id)} />}
      {['scheduled', 'sending', 'paused'].includes(status) && (
        <Action
          label="Cancel"
          scope="send"
          isDangerous
          question="Those who have no email yet get none. This cannot be undone."
          run={() => client.broadcasts.cancel(id)}
        />
      )}
    </>
  );
}

function Recipients({ id }: { readonly id: string }) {
  const [result, setResult] = useState<UploadedRecipients>();
  if (!useCan('send')) return null;
  const upload = async (fields: FormData): Promise<void> => {
    const file = fields.get('file') as File;
    const body = file.size > 0 ? file : new Blob([String(fields.get('text') ?? '')]);
    setResult(await client.broadcasts.addRecipientsFromCsv(id, body));
  };
  return (
    <Card title="Add recipients">
      <Form submit="Add" run={upload}>
        <label>
          CSV file <span class="hint">a column named email, further columns are variables</span>
          <input name="file" type="file" accept=".csv,text/csv" />
        </label>
        <label>
          Or paste it
          <textarea name="text" placeholder={'email,name\nada@example.com,Ada'} />
        </label>
      </Form>
      {result !== undefined && (
        <div role="status" class="stack">
          <p>
            {plural(result.added, 'recipient')} added, {formatCount(result.repeated)} repeated,{' '}
            {formatCount(result.suppressed)} suppressed, {plural(result.invalidTotal, 'bad line')}.
          </p>
          {result.invalid.map(({ line, reason }) => (
            <p key={line} class="hint">
              Line {line}: {reason}
            </p>
          ))}
        </div>
      )}
    </Card>
  );
}
