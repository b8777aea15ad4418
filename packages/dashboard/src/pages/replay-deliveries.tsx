import { useState } from 'preact/hooks';
import { client } from '../api';
import { Form, textOf } from '../components/action';
import { Dialog } from '../components/dialog';
import { toLocalInput } from '../dates';
import { plural } from '../format';
import type { WebhookReplay } from '../types';

const DAY_MS = 86_400_000;

/** Resends deliveries of a time range that failed or still wait. */
export function ReplayDeliveries({ id, close }: { readonly id: string; readonly close: () => void }) {
  const [result, setResult] = useState<WebhookReplay>();
  const replay = async (fields: FormData): Promise<void> => {
    setResult(undefined);
    const [since, until] = [timeOf(fields, 'since'), timeOf(fields, 'until')];
    setResult(await client.webhooks.replay(id, { since: since!, ...(until !== undefined && { until }) }));
  };
  return (
    <Dialog title="Replay deliveries" onClose={close}>
      <p class="muted">Deliveries that failed or still wait are sent again with the same IDs.</p>
      <Form submit="Replay" run={replay}>
        <div class="pair">
          <label>
            From
            <input
              name="since"
              type="datetime-local"
              required
              defaultValue={toLocalInput(new Date(Date.now() - DAY_MS))}
            />
          </label>
          <label>
            <span>
              Until <span class="hint">now when empty</span>
            </span>
            <input name="until" type="datetime-local" />
          </label>
        </div>
      </Form>
      {result !== undefined && (
        <p role="status" class="notice good">
          {plural(result.replayed, 'delivery', 'deliveries')} on the way.
          {result.more && ' There are more: replay again.'}
        </p>
      )}
      <div class="actions">
        <button type="button" onClick={close}>
          Done
        </button>
      </div>
    </Dialog>
  );
}

function timeOf(fields: FormData, name: string): string | undefined {
  const text = textOf(fields, name);
  return text === undefined ? undefined : new Date(text).toISOString();
}
