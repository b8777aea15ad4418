import { freeObject, list, string } from '../platform/openapi/schemas.js';
import { MAX_SUBJECT } from './accept/send-request.js';

/* Fields of requests and responses. */

export const sender = string('Address, or Name <address>', 'Ada <ada@acme.example>');
export const subject = string('Subject line, without line breaks', 'The sale has begun', {
  minLength: 1,
  maxLength: MAX_SUBJECT,
});
export const address = string('An email address', 'reader@example.com');
export const metadata = freeObject('Your own data, stored with the email; at most 10,000 bytes as JSON', {
  orderId: 4711,
});

export const tags = list(string('A tag', 'spring-2026', { pattern: '^[A-Za-z0-9_-]{1,64}$' }), 'At most 10 tags', {
  maxItems: 10,
});
export const headers = freeObject(
  'At most 20 headers of your own: X-…, References, In-Reply-To, Auto-Submitted, Precedence; printable ASCII',
  { 'X-Order': '4711' },
);
