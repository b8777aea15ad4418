import { useQuery } from '@tanstack/preact-query';
import { useState } from 'preact/hooks';
import { useLocation } from 'wouter-preact';
import { client, hasStatus } from '../api';
import { Action } from '../components/action';
import { SaveState, savesEnded, useAutosave } from '../components/autosave';
import { Badge } from '../components/badge';
import { Page } from '../components/page';
import { Failure, Loading } from '../components/states';
import { fieldsOf, readDraft, DraftSaves, type DraftFields, type StoredDraft } from '../draft-saves';
import { isAbout, isShownInEditor } from '../place';
import { queries } from '../queries';
import { quoted } from '../quoted';
import type { Broadcast } from '../types';
import { BroadcastMessageForm } from './broadcast-message-form';
import { BroadcastPreview } from './broadcast-preview';
import { BroadcastRecipients } from './broadcast-recipients';
import { BroadcastSend } from './broadcast-send';

/** They are at the end of a long page. */
const SENDING_FIELDS = ['pace', 'sendAt'];

export function BroadcastDraft({ broadcast }: { readonly broadcast: Broadcast }) {
  const { id } = broadcast;
  const draft = useQuery({
    queryKey: ['draft', id],
    queryFn: async ({ signal }) => {
      // What was typed into this draft before, on a page that was just left.
      await savesEnded();
      return readDraft(id, signal);
    },
    // From then on, the form is the source of truth.
    staleTime: Infinity,
    gcTime: 0,
    refetchOnWindowFocus: false,
  });
  if (draft.isPending) return <Loading rows={8} />;
  if (draft.isLoadingError) return <Failure error={draft.error} retry={() => void draft.refetch()} />;
  return <Draft broadcast={broadcast} opened={draft.data} />;
}

interface DraftProps {
  readonly broadcast: Broadcast;
  /** Read when the page was opened, whereas `broadcast` may come from the cache. */
  readonly opened: StoredDraft;
}

function Draft({ broadcast, opened }: DraftProps) {
  const { id, progress } = broadcast;
  const [, go] = useLocation();
  const [fields, setFields] = useState(() => fieldsOf(opened));
  const [recipient, showRecipient] = useState<string>();
  const [saves, countSaves] = useState(0);
  const [hasUnadded, setUnadded] = useState(false);
  const [draft] = useState(() => new DraftSaves(opened));
  const show = (stored: Broadcast): void => {
    queries.setQueryData(['broadcast', id], stored);
    countSaves((count) => count + 1);
  };
  const autosave = useAutosave(JSON.stringify(fields), async (text) => show(await draft.save(text)));
  const loadNewer = async (): Promise<void> => {
    const newer = await readDraft(id);
    draft.restart(newer);
    autosave.restart(JSON.stringify(fieldsOf(newer)));
    setFields(fieldsOf(newer));
    show(newer.broadcast);
  };
  const send = async (): Promise<void> => {
    await autosave.flush();
    try {
      await draft.begin();
    } catch (error) {
      // There are other reasons, such as that somebody else has sent it.
      if (hasStatus(error, 409) && (await draft.isOutdated().catch(() => false))) autosave.stop(error);
      throw error;
    }
  };
  const change = (changes: Partial<DraftFields>): void => setFields((before) => ({ ...before, ...changes }));
  const isOfSending = isAbout(autosave.error, SENDING_FIELDS);
  const isShownElsewhere = autosave.isStopped || isShownInEditor(autosave.error);
  const isShownHere = autosave.error !== undefined && !isShownElsewhere && !isOfSending;
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
          question={`The draft ${quoted(fields.name)} and its recipients are deleted.`}
          run={() => client.broadcasts.delete(id)}
          onDone={() => {
            autosave.discard();
            go('/broadcasts');
          }}
        />
      }
    >
      {autosave.isStopped && <ChangedMeanwhile loadNewer={loadNewer} />}
      {isShownHere && <Failure error={autosave.error} />}
      <div class="columns">
        <BroadcastMessageForm fields={fields} change={change} error={autosave.error} />
        <BroadcastPreview
          {...{ id, saves, recipient, showRecipient }}
          flush={autosave.flush}
          from={fields.from}
          replyTo={fields.replyTo}
          count={progress.total}
        />
      </div>
      <BroadcastRecipients id={id} total={progress.total} preview={showRecipient} setUnadded={setUnadded} />
      <BroadcastSend
        broadcast={broadcast}
        fields={fields}
        saves={saves}
        hasUnadded={hasUnadded}
        error={isOfSending ? autosave.error : undefined}
        change={change}
        send={send}
      />
    </Page>
  );
}

/** Nothing is saved any more, and what was typed stays until the newer draft replaces it. */
function ChangedMeanwhile({ loadNewer }: { readonly loadNewer: () => Promise<void> }) {
  return (
    <div class="notice bad" role="alert">
      <p>
        Somebody else has changed this draft, or you in another tab. Your latest changes are not saved: the newer draft
        replaces them, so copy what you want to keep.
      </p>
      <Action label="Load the newer draft" scope="send" run={loadNewer} />
    </div>
  );
}
