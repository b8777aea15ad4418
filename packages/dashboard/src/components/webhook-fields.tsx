import { webhookEventNames } from '../../../client/src/index';
import type { Webhook } from '../types';
import { textOf } from './action';

/** What a form with these fields says about a webhook. */
export function webhookOf(fields: FormData): Pick<Webhook, 'url' | 'events' | 'people'> {
  return {
    url: textOf(fields, 'url') ?? '',
    events: fields.getAll('events') as Webhook['events'],
    people: fields.has('people'),
  };
}

/** The fields of a new webhook, which begins with all events, or of one that exists. */
export function WebhookFields({ webhook }: { readonly webhook?: Webhook }) {
  return (
    <>
      <label>
        Address
        <input
          name="url"
          type="url"
          required
          defaultValue={webhook?.url ?? ''}
          placeholder="https://acme.example/hooks/mail"
        />
      </label>
      <p class="hint">
        {webhook === undefined ? 'The address' : 'A new address'} first gets a POST of the type{' '}
        <code>ENDPOINT_CHALLENGE</code>, and must return its <code>data.challenge</code> as text within 5 seconds. So it
        proves that it is yours.
      </p>
      <fieldset class="stack">
        <legend>Events</legend>
        {webhookEventNames.map((event) => (
          <label key={event} class="inline">
            <input
              type="checkbox"
              name="events"
              value={event}
              defaultChecked={webhook === undefined || webhook.events.includes(event)}
            />{' '}
            {event}
          </label>
        ))}
      </fieldset>
      <label class="inline">
        <input type="checkbox" name="people" defaultChecked={webhook?.people ?? false} /> Opens and clicks by people
        only
      </label>
    </>
  );
}
