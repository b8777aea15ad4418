import { keepPreviousData, useQuery } from '@tanstack/preact-query';
import { useState } from 'preact/hooks';
import { client } from '../api';
import { Form, textOf } from '../components/action';
import { HtmlPreview } from '../components/html-preview';
import { Card } from '../components/page';
import { Failure, Loading } from '../components/states';
import { useSession } from '../session';

/** The number of recipients to choose from. */
const OFFERED = 20;

interface BroadcastPreviewProps {
  readonly id: string;
  /** Number of saves of the draft: after each, it is rendered again. */
  readonly saves: number;
  /** How many recipients it has. */
  readonly count: number;
  readonly recipient: string | undefined;
  readonly from: string;
  readonly replyTo: string;
  showRecipient(address: string | undefined): void;
  flush(): Promise<void>;
}

/** A preview for a recipient, and a test send. */
export function BroadcastPreview(props: BroadcastPreviewProps) {
  const { id, saves, count, recipient, showRecipient } = props;
  const recipients = useQuery({
    queryKey: ['recipients', id, 'choice', count],
    queryFn: async ({ signal }) =>
      (await client.broadcasts.recipients(id, { limit: OFFERED }, { signal }).first()).items,
    placeholderData: keepPreviousData,
  });
  const addresses = recipients.data?.map(({ to }) => to) ?? [];
  const shown = recipient ?? addresses[0];
  // Those from before some were added do not count: there may have been none.
  const areRead = recipients.data !== undefined && !recipients.isPlaceholderData;
  const isKnown = shown !== undefined || areRead;
  const rendering = useQuery({
    queryKey: ['broadcast-preview', id, shown, saves],
    queryFn: ({ signal }) => client.broadcasts.preview(id, shown === undefined ? {} : { to: shown }, { signal }),
    placeholderData: keepPreviousData,
    enabled: isKnown,
  });
  /** Waits for the recipients while they are read. */
  const knownRecipient = async (): Promise<string | undefined> => {
    // While it is read again, some may have been added.
    if (shown !== undefined || (areRead && !recipients.isFetching)) return shown;
    const { data, isPlaceholderData, isError } = await recipients.refetch({ cancelRefetch: false });
    if (isError) throw new Error('The recipients could not be read: their variables would be empty');
    // This read was canceled if some were added meanwhile: another one is under way.
    return data === undefined || (isPlaceholderData && data.length === 0) ? knownRecipient() : data[0]?.to;
  };
  const offered = shown === undefined || addresses.includes(shown) ? addresses : [shown, ...addresses];
  return (
    <Card title="2. Preview">
      <label>
        As it arrives at
        <select
          value={shown ?? ''}
          disabled={offered.length === 0}
          onChange={({ currentTarget }) => showRecipient(currentTarget.value)}
        >
          {offered.length === 0 && <option value="">{areRead ? 'nobody yet: variables are empty' : ''}</option>}
          {offered.map((address) => (
            <option key={address} value={address}>
              {address}
            </option>
          ))}
        </select>
      </label>
      {recipients.isLoadingError && <Failure error={recipients.error} retry={() => void recipients.refetch()} />}
      {rendering.isPending && !recipients.isLoadingError && <Loading rows={2} />}
      {rendering.isError && <Failure error={rendering.error} retry={() => void rendering.refetch()} />}
      {rendering.data !== undefined && !rendering.isError && (
        <>
          <p class="subject" dir="auto">
            {rendering.data.subject || <span class="muted">no subject</span>}
          </p>
          {rendering.data.html === '' ? (
            <pre dir="auto">{rendering.data.text}</pre>
          ) : (
            <HtmlPreview html={rendering.data.html} title={rendering.data.subject} />
          )}
          <details>
            <summary>Text part</summary>
            <pre dir="auto">{rendering.data.text}</pre>
          </details>
        </>
      )}
      <TestSend {...props} knownRecipient={knownRecipient} />
    </Card>
  );
}

interface TestSendProps extends BroadcastPreviewProps {
  /** Whose variables the test has. Rejects if the recipients cannot be read. */
  knownRecipient(): Promise<string | undefined>;
}

function TestSend({ id, from, replyTo, knownRecipient, flush }: TestSendProps) {
  const address = useSession().data?.user.email ?? '';
  const [sentTo, setSentTo] = useState<string>();
  const send = async (fields: FormData): Promise<void> => {
    setSentTo(undefined);
    const recipient = await knownRecipient();
    await flush();
    const to = textOf(fields, 'to') ?? '';
    const { subject, html, text } = await client.broadcasts.preview(
      id,
      recipient === undefined ? {} : { to: recipient },
    );
    await client.emails.send({
      from,
      to,
      ...(replyTo.trim() !== '' && { replyTo }),
      subject: `[Test] ${subject}`,
      ...(html !== '' && { htmlContent: html }),
      // A message of images alone shows no text.
      ...(text !== '' && { textContent: text }),
    });
    setSentTo(to);
  };
  return (
    <Form submit="Send a test" run={send}>
      <label>
        Send this to yourself <input name="to" type="email" required defaultValue={address} />
      </label>
      {sentTo !== undefined && (
        <p role="status" class="notice good">
          The test is on its way to {sentTo}.
        </p>
      )}
    </Form>
  );
}
