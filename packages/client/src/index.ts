export { Mailbeacon } from './mailbeacon.js';
export { MailbeaconError } from './mailbeacon-error.js';
export { verifyWebhook, type ReceivedWebhook } from './verify-webhook.js';
export type { CallOptions, MailbeaconOptions } from './transport.js';
export type { OnceOptions, SendOptions } from './emails.js';
export type { Page, Pages } from './pages.js';
export type { Upload } from './upload.js';
export type * from './webhook-event.js';
export type * from './api-types.js';
