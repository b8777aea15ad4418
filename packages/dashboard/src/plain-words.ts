/** How forms and filters call the fields of the API, whose errors begin with the name of a field. */
const LABELS: Readonly<Record<string, string>> = {
  name: 'Name',
  email: 'Email address',
  to: 'The address',
  role: 'Role',
  // Two forms have it, and call it the password and the new password.
  password: 'The password',
  currentPassword: 'Current password',
  newPassword: 'New password',
  code: 'Code',
  from: 'From',
  replyTo: 'Reply to',
  subject: 'Subject',
  htmlContent: 'HTML or MJML',
  textContent: 'Text',
  variables: 'Variables',
  pace: 'Emails a minute',
  sendAt: 'Begins',
  domain: 'Domain',
  url: 'Address',
  events: 'Events',
  note: 'Note',
  expiresAt: 'Expires',
  allowedDomains: 'Sender domains',
  allowedAddresses: 'Networks of clients',
  weight: 'Weight',
  perSecond: 'Emails per second',
  region: 'Region',
  accessKeyId: 'Access key ID',
  secretAccessKey: 'Secret access key',
  sessionToken: 'Session token',
  configurationSet: 'Configuration set',
  apiKey: 'API key',
  serverToken: 'Server token',
  messageStream: 'Message stream',
  eventKey: 'The key of the events',
  search: 'A search',
  status: 'Status',
  state: 'Recipient’s state',
  tag: 'Tag',
  since: 'From',
  until: 'Before',
  actor: 'By',
  action: 'Action',
  target: 'Item',
  reason: 'Reason',
};

/** What the service writes for programs. Times in examples have no milliseconds. */
const TIME = /\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z/g;
const MISSING_SCOPE = /lacks the scope \w+, which this request needs$/;
const OTHER_ORGANIZATION = /^You are not in the organization that the header x-organization names$/;

/** A message of the API as people need it: with the names of the form, and times in their zone. */
export function plainWords(message: string): string {
  const [first = ''] = message.split(' ', 1);
  const name = first.replace(/^credentials\./, '');
  const labeled = Object.hasOwn(LABELS, name) ? LABELS[name] + message.slice(first.length) : message;
  return labeled
    .replace(TIME, (time) => new Date(time).toLocaleString())
    .replace(MISSING_SCOPE, 'does not allow this: ask an owner')
    .replace(OTHER_ORGANIZATION, 'You are no longer in this organization');
}
