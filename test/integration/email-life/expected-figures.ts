import type { ModelRecipient } from './email-model.js';
import type { ModelOrganization } from './organization-model.js';

/** The contacts as the API lists them, by address. */
export function expectedContacts(model: ModelOrganization): object[] {
  const known = [...new Set(model.emails.flatMap((email) => email.contacts))].sort();
  return known.map((email) => {
    const counted = model.emails.filter((one) => one.counts && one.contacts.includes(email));
    const campaigns = [...new Set(counted.flatMap(({ message }) => message.campaign ?? []))].sort();
    const about = model.emails.flatMap(({ recipients }) =>
      recipients.filter((one) => one.address === email && one.kind === 'to' && !one.isErased),
    );
    const { suppressions } = model;
    const status = suppressions.has(email, 'complaint')
      ? 'complained'
      : suppressions.has(email, 'bounce')
        ? 'bounced'
        : suppressions.has(email, 'unsubscribe')
          ? 'unsubscribed'
          : 'active';
    const bounces = about.filter(({ bounced }) => bounced).length;
    const complaints = about.filter(({ facts }) => facts.has('complained')).length;
    return { email, totalEmails: counted.length, status, bounces, complaints, campaigns };
  });
}

/** What the statistics of a campaign say about its recipients. */
export function expectedStats({ emails }: ModelOrganization, name: string): object {
  const ofCampaign = emails.filter(({ message }) => message.campaign === name);
  const recipients = ofCampaign.flatMap((email) => email.recipients);
  const count = (reached: (recipient: ModelRecipient) => boolean) => recipients.filter(reached).length;
  return {
    totalEmails: ofCampaign.filter(({ counts }) => counts).length,
    delivered: count(({ facts }) => facts.has('delivered')),
    deferred: count(({ facts }) => facts.has('deferred')),
    bounced: count(({ bounced }) => bounced),
    complained: count(({ facts }) => facts.has('complained')),
    unsubscribed: count(({ facts }) => facts.has('unsubscribed')),
    suppressed: count(({ wasSuppressed }) => wasSuppressed),
  };
}
