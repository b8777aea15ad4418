import { url, wholeNumber } from './setting-types.js';

/** Settings of people who sign in. */
export const userVariables = {
  DASHBOARD_URL: url(['http:', 'https:'], {
    description: 'Public URL where people sign in, used in links to set a password (unset: BASE_URL)',
    example: 'https://mail.example.com',
    optional: true,
  }),
  SESSION_DAYS: wholeNumber({
    description: 'Days until people must sign in again; after a week without a request they must in any case',
    default: 30,
    min: 1,
    max: 400,
  }),
};
