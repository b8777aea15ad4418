import type { Observations, StoredContact, StoredEvent } from '../observations.js';
import { reconcile } from '../reconciliation.js';
import { email, eventRows, baseline, withEmail, withStored } from '../baseline-observations.js';

const withEvents = (change: (events: readonly StoredEvent[]) => StoredEvent[]): Observations =>
  withStored({ events: change(baseline.stored.events) });
const eachEvent = (change: (event: StoredEvent) => Partial<StoredEvent>): Observations =>
  withEvents((events) => events.map((event) => ({ ...event, ...change(event) })));
const firstContact = (change: Partial<StoredContact>): Observations =>
  withStored({ contacts: [{ ...baseline.stored.contacts[0]!, ...change }, baseline.stored.contacts[1]!] });
const campaign = (change: object): Observations =>
  withStored({ campaigns: [{ ...baseline.stored.campaigns[0]!, ...change }] });

describe('L5, of events and counters,', () => {
  it.each<[what: string, observations: Observations, seen?: object]>([
    ['an event that is gone', withEvents((events) => events.slice(2)), { eventsLost: 1 }],
    ['an event of nobody', { ...baseline, hits: baseline.hits.slice(1) }, { eventsDuplicated: 1 }],
    ['a row for the first contact alone', withEvents((events) => events.slice(0, 1).concat(events.slice(2)))],
    ['ordinals from 0', eachEvent(({ ordinal }) => ({ ordinal: ordinal - 1 }))],
    ['rows for other contacts', eachEvent(() => ({ contact: 'eve@example.com' }))],
    ['a click on another link', eachEvent(({ type }) => (type === 'clicked' ? { position: 2 } : {}))],
    ['a click on another destination', eachEvent(({ type }) => (type === 'clicked' ? { url: 'https://x.test' } : {}))],
    ['an open stored as a click', eachEvent(({ type }) => (type === 'opened' ? { type: 'clicked' } : {}))],
    ['a `sent` event that is gone', withEvents((events) => events.slice(0, 4))],
    ['a second `sent` event', withEvents((events) => [...events, ...eventRows({ id: 'other', type: 'sent' })])],
    ['opens of an email that are ahead', withEmail({ opens: 2 })],
    ['clicks of an email that are behind', withEmail({ clicks: 0 })],
    ['clicks of a link that were never counted', withEmail({ clicksByPosition: {} })],
    ['clicks counted for another link', withEmail({ clicksByPosition: { 0: 1 } })],
    ['emails of a contact that are ahead', firstContact({ emails: 8 })],
    ['opens of a contact counted as clicks', firstContact({ opens: 0, clicks: 2 })],
    ['a contact that left its campaign', firstContact({ campaigns: [] })],
    ['a contact without its email', firstContact({ emailIds: [] })],
    ['a contact that is not stored', withStored({ contacts: baseline.stored.contacts.slice(1) })],
    ['emails of a campaign that are ahead', campaign({ emails: 6 })],
    ['opens of a campaign that are behind', campaign({ opens: 0 })],
    ['clicks of a link of a campaign', campaign({ links: { [email.urls[0]!]: 0, [email.urls[1]!]: 0 } })],
    ['a link that its campaign lacks', campaign({ links: { [email.urls[1]!]: 1 } })],
    ['machine clicks of an email that are behind', withEmail({ machineClicks: 0 })],
    ['an email that counts as clicked by a person', withEmail({ personClicked: true })],
    ['a relabelled click whose counters stayed', eachEvent(() => ({ verdict: 0 }))],
    ['a class of machines that is never counted', withEmail({ machines: {} })],
    ['clicks by machines on another link', withEmail({ machineClicksByPosition: { 0: 1 } })],
    ['a contact whose machines are ahead', firstContact({ machineOpens: 1 })],
    ['a campaign whose machines are behind', campaign({ machineClicks: 0 })],
    ['a campaign that counts a class as another', campaign({ machines: { bot: 1 } })],
    ['a campaign with a unique click too many', campaign({ uniqueClicks: 1 })],
    ['a link of a campaign without its machines', campaign({ machineLinks: {} })],
  ])('is broken by %s', (_what, observations, seen = {}) => {
    const reconciliation = reconcile(observations);
    expect(reconciliation).toMatchObject(seen);
    expect(reconciliation.violations).toContainEqual(expect.stringMatching(/^L5: /));
  });
});
