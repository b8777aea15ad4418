import { useQuery } from '@tanstack/preact-query';
import { useState } from 'preact/hooks';
import { useLocation } from 'wouter-preact';
import { client } from '../api';
import { Action } from '../components/action';
import { SaveState, savesEnded, useAutosave } from '../components/autosave';
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
  const draft = useQuery({
    queryKey: ['draft', id],
    queryFn: async ({ signal }) => {
      // What was typed into this draft before, on a page that was just left.
      await savesEnded();
      const [saved, message] = await Promise.all([
        client.broadcasts.get(id, { signal }),
        client.broadcasts.message(id, { signal }),
      ]);
      return { saved, message };
    },
    // From then on, the form is the source of truth.
    staleTime: Infinity,
    gcTime: 0,
    refetchOnWindowFocus: false,
  });
  if (draft.isPending) return <Loading rows={8} />;
  if (draft.isLoadingError) return <Failure error={draft.error} retry={() => void draft.refetch()} />;
  return <Draft broadcast={broadcast} {...draft.data} />;
}

interface DraftProps {
  readonly broadcast: Broadcast;
  /** Read when the page was opened, whereas `broadcast` may come from the cache. */
  readonly saved: Broadcast;
  readonly message: BroadcastMessage;
}

function Draft({ broadcast, saved, message }: DraftProps) {
  const { id, progress } = broadcast;
  const [, go] = useLocation();
  const [fields, setFields] = useState(() => fieldsOf(saved, message));
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
