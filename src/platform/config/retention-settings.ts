import { wholeNumber, type Variable } from './setting-types.js';

/** How long stored data is kept. */
export const retentionVariables = {
  EMAIL_CONTENT_RETENTION_DAYS: wholeNumber({
    description:
      'Number of days after which the bodies, attachments and broadcast variables of emails are deleted; subjects, recipients and totals stay (0: keep all)',
    default: 0,
    min: 0,
    max: 36_500,
  }),
  EVENT_RETENTION_MONTHS: wholeNumber({
    description:
      'Number of full months before the current one for which individual opens and clicks are kept in Postgres; totals are kept forever (0: keep all)',
    default: 0,
    min: 0,
    max: 1200,
  }),
  DEAD_LETTER_RETENTION_DAYS: wholeNumber({
    description: 'Days to keep events that could not be stored (0: until they are purged manually)',
    default: 0,
    min: 0,
    max: 3650,
  }),
  AUDIT_RETENTION_DAYS: wholeNumber({
    description: 'Days to keep entries of the audit log',
    default: 365,
    min: 30,
    max: 3650,
  }),
} satisfies Record<string, Variable<unknown>>;
