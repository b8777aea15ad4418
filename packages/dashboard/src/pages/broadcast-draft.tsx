import { useQuery } from '@tanstack/preact-query';
import { useState } from 'preact/hooks';
import { useLocation } from 'wouter-preact';
import { client } from '../api';
import { Action } from '../components/action';
import { SaveState, useAutosave } from '../components/autosave';
import { Badge } from '../components/badge';
import { Page } from '../components/page';
import { Failure, Loading } from '../components/states';
import { queries } from '../queries';
import type { Broadcast, BroadcastMessage, CreateBroadcast } from '../types';
import { BroadcastMessageForm } from './broadcast-message-form';
import { BroadcastPreview } from './broadcast-preview';
import { BroadcastRecipients } from './broadcast-recipients';
import { BroadcastSend } from './broadcast-send';

/** The fields of the form of a draft, all as text. */
export interface DraftFields {
  readonly name: string;
  readonly from: string;
  readonly replyTo: string;
  readonly subject: string;
  readonly htmlContent: string;
  readonly textContent: string;
  /** Emails per minute; empty for no limit. */
  readonly pace: string;
  /** ISO 8601; empty for at once. */
  readonly sendAt: string;
}

export function BroadcastDraft({ broadcast }: { readonly broadcast: Broadcast }) {
  const { id } = broadcast;
  const message = useQuery({
    queryKey: ['draft-message', id],
    queryFn: ({ signal }) => client.broadcasts.message(id, { signal }),
    // From then on, the form is the source of truth.
    staleTime: Infinity,
    gcTime: 0,
    refetchOnWindowFocus: false,
  });
  if (message.isPending) return <Loading rows={8} />;
  if (message.isLoadingError) return <Failure error={message.error} retry={() => void message.refetch()} />;
  return <Draft broadcast={broadcast} message={message.data} />;
}

interface DraftProps {
  readonly broadcast: Broadcast;
  readonly message: BroadcastMessage;
}

function Draft({ broadcast, message }: DraftProps) {
  const { id, progress } = broadcast;
  const [, go] = useLocation();
  const [fields, setFields] = useState(() => fieldsOf(broadcast, message));
  const [recipient, showRecipient] = useState<string>();
  const [saves, countSaves] = useState(0);
  const autosave = useAutosave(JSON.stringify(fields), async (text) => {
    const saved = await client.broadcasts.change(id, requestOf(JSON.parse(text) as DraftFields, broadcast, message));
    queries.setQueryData(['broadcast', id], saved);
    countSaves((count) => count + 1);
  });
  const change = (changes: Partial<DraftFields>): void => setFields((before) => ({ ...before, ...changes }));
  return (
    <Page
      title={fields.name || 'Broadcast without a name'}
      hint={
        <>
          <Badge state="draft" /> <SaveState autosave={autosave} />
        </>
      }
      actions={
        <Action
          label="Delete"
          scope="send"
          isDangerous
          question={`The draft “${fields.name}” and its recipients are deleted.`}
          run={() => client.broadcasts.delete(id)}
          onDone={() => {
            autosave.discard();
            go('/broadcasts');
          }}
        />
      }
    >
      {autosave.error !== undefined && <Failure error={autosave.error} />}
      <div class="columns">
        <BroadcastMessageForm fields={fields} change={change} error={autosave.error} />
        <BroadcastPreview
          {...{ id, saves, recipient, showRecipient }}
          flush={autosave.flush}
          from={fields.from}
          count={progress.total}
        />
      </div>
      <BroadcastRecipients id={id} total={progress.total} preview={showRecipient} />
      <BroadcastSend broadcast={broadcast} fields={fields} change={change} flush={autosave.flush} />
    </Page>
  );
}

function fieldsOf({ name, from, replyTo, pace, sendAt }: Broadcast, message: BroadcastMessage): DraftFields {
  return {
    name,
    from,
    replyTo: replyTo ?? '',
    subject: message.subject,
    htmlContent: message.mjml ?? message.htmlContent ?? '',
    textContent: message.textContent ?? '',
    pace: pace === null ? '' : String(pace),
    sendAt: sendAt ?? '',
  };
}

/** Fields that the form does not have stay unchanged. */
function requestOf(
  fields: DraftFields,
  { tags, campaignId }: Broadcast,
  { headers }: BroadcastMessage,
): CreateBroadcast {
  const { name, from, replyTo, subject, htmlContent, textContent, pace, sendAt } = fields;
  return {
    name,
    from,
    subject,
    ...(replyTo.trim() !== '' && { replyTo }),
    ...((htmlContent !== '' || textContent === '') && { htmlContent }),
    ...(textContent !== '' && { textContent }),
    ...(pace !== '' && { pace: Number(pace) }),
    ...(sendAt !== '' && { sendAt }),
    ...(headers && { headers }),
    ...(tags.length > 0 && { tags }),
    ...(campaignId !== null && { campaignId }),
  };
}
