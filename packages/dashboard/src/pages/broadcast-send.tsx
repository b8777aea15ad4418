import { Action } from '../components/action';
import { MissingNotice, missingSentence, useMissingVariables } from '../components/missing-variables';
import { MovedSenderNotice } from '../components/moved-sender';
import { Card } from '../components/page';
import { Failure } from '../components/states';
import { toLocalInput } from '../dates';
import type { DraftFields } from '../draft-saves';
import { formatCount, formatDuration, plural } from '../format';
import { useHasPassed } from '../has-passed';
import type { Broadcast } from '../types';

interface BroadcastSendProps {
  readonly broadcast: Broadcast;
  readonly fields: DraftFields;
  /** Number of saves of the draft. */
  readonly saves: number;
  /** True if there are recipients that were chosen or pasted, and not added. */
  readonly hasUnadded: boolean;
  /** Why these fields could not be saved. */
  readonly error: unknown;
  change(changes: Partial<DraftFields>): void;
  /** Saves pending changes and sends the draft. */
  send(): Promise<void>;
}

export function BroadcastSend({ broadcast, fields, saves, hasUnadded, error, change, send }: BroadcastSendProps) {
  const { id, progress } = broadcast;
  const missing = useMissingVariables(id, progress.total, saves);
  const { from, replyTo, pace, sendAt } = fields;
  const hasTime = sendAt !== '';
  // The service begins at once then.
  const hasPassed = useHasPassed(sendAt);
  const isLater = hasTime && !hasPassed;
  const suppressed = progress.suppressed + (missing?.suppressed ?? 0);
  const getting = progress.total - suppressed;
  const when = isLater ? `from ${new Date(sendAt).toLocaleString()} on` : 'now';
  return (
    <Card title="4. Send">
      <fieldset class="choices">
        <legend class="visually-hidden">When</legend>
        <label class="inline">
          <input type="radio" name="when" checked={!hasTime} onChange={() => change({ sendAt: '' })} /> Now
        </label>
        <label class="inline">
          <input type="radio" name="when" checked={hasTime} onChange={() => change({ sendAt: inAnHour() })} /> At a time
        </label>
      </fieldset>
      <div class="pair">
        {hasTime && (
          <label>
            Begins <span class="hint">in your time zone</span>
            <input
              type="datetime-local"
              required
              value={toLocalInput(new Date(sendAt))}
              onInput={({ currentTarget: { value } }) =>
                value !== '' && change({ sendAt: new Date(value).toISOString() })
              }
            />
          </label>
        )}
        <label>
          Emails a minute
          <input
            type="number"
            min={1}
            max={1_000_000}
            value={pace}
            placeholder="as fast as possible"
            onInput={({ currentTarget }) => change({ pace: currentTarget.value })}
          />
        </label>
      </div>
      {error !== undefined && <Failure error={error} />}
      {hasPassed && <p class="notice warn">This time has passed: sending begins at once.</p>}
      {progress.total > 0 && getting === 0 && (
        <p class="notice warn">
          Nobody will get it: all its recipients are suppressed, or were when they were added. Use a new draft for those
          that no longer are.
        </p>
      )}
      <p class="muted">
        {getting > 0 && `${plural(getting, 'person', 'people')} will get it.`}
        {suppressed > 0 && ` ${formatCount(suppressed)} suppressed.`}
        {progress.total === 0 && 'Add recipients first.'}
        {Number(pace) > 0 && getting > 0 && ` That takes ${formatDuration((getting / Number(pace)) * 60)}.`}
        {getting > 0 && progress.suppressed > 0 && LEFT_OUT}
      </p>
      {missing !== undefined && <MissingNotice missing={missing} getting={getting} />}
      <MovedSenderNotice from={from} replyTo={replyTo} />
      {getting > 0 && (
        <div class="actions">
          <Action
            label={isLater ? 'Schedule' : 'Send now'}
            scope="send"
            isPrimary
            question={`${plural(getting, 'person', 'people')} will get this message from ${from}, ${when}.${hasUnadded ? UNADDED : ''}${missingSentence(missing, getting)}`}
            run={send}
          />
        </div>
      )}
    </Card>
  );
}

/** Adding them again changes nothing. */
const LEFT_OUT =
  ' Those that were suppressed when they were added stay left out: use a new draft for those that no longer are.';
/** The page of what is sent has no place for them. */
const UNADDED = ' The recipients that you have not added yet are left out.';

function inAnHour(): string {
  const time = new Date(Date.now() + 3_600_000);
  time.setSeconds(0, 0);
  return time.toISOString();
}
