import type { GuardLimitsView, GuardLimitView } from '../../organizations/guard/guard-limits.js';
import type { ExceededRate } from '../../organizations/guard/guard-verdict.js';
import { GUARD_STATES } from '../../organizations/guard/guard-status.js';
import { describeRoute } from '../../platform/openapi/describe-route.js';
import {
  dateTime,
  decimal,
  enumOf,
  integer,
  list,
  nullable,
  object,
  string,
  type Described,
} from '../../platform/openapi/schemas.js';
import { PROVIDER_STATES, type ProviderStateView } from './provider-state.js';
import type { SendingRateView, SendingStateView } from './sending-state.js';

const sentence = '5.2 % of 1280 recipients bounced within the last 24 hours, and the limit is 5 %';

const counts = {
  hours: integer('Hours until now: 1, 24 or 168', 24),
  sent: integer('Recipients within these hours', 1280),
};

const rate = object<SendingRateView>('SendingRate', 'Recipients of all sender domains within some hours until now', {
  ...counts,
  bounced: integer('Those that bounced hard', 67),
  complained: integer('Those that complained', 1),
  bounceRate: decimal('`bounced / sent`, at most 1; 0 without recipients', 0.0523),
  complaintRate: decimal('`complained / sent`, at most 1; 0 without recipients', 0.0008),
});

const exceeded = object<ExceededRate>('ExceededRate', 'A rate that has reached a limit', {
  fact: enumOf(['bounced', 'complained'], 'What happened', 'bounced'),
  domain: nullable(string('Sender domain; null for all of them together', 'acme.example')),
  ...counts,
  count: integer('Those that bounced hard or complained', 67),
  rate: decimal('`count / sent`, at most 1', 0.0523),
  limit: decimal('Limit that it has reached', 0.05),
});

function limit(description: string, examples: readonly [number, number, number]): Described {
  const from = (state: string, example: number): Described =>
    nullable(decimal(`Share at which the state becomes ${state}; null: never`, example));
  return object<GuardLimitView>(`SendingLimits${examples[0] < 0.01 ? 'Complained' : 'Bounced'}`, description, {
    warned: from('warned', examples[0]),
    slowed: from('slowed', examples[1]),
    paused: from('paused', examples[2]),
  });
}

/** One decorator per route of the controller. */
export const sendingStateDocs = {
  get: describeRoute({
    operationId: 'getSendingState',
    summary: 'Get the sending state and the delivery rates',
    description:
      'The state that bounces and complaints led to, the rates that it depends on, and whether the provider accepts mail. Rates divide hard bounces and complaints by the recipients whose email was sent. A bounce or complaint counts in the hour in which it arrives.',
    tag: 'Usage',
    responses: {
      200: {
        description: 'The state',
        schema: object<SendingStateView>('SendingState', 'The sending state of the organization', {
          state: enumOf(
            GUARD_STATES,
            'normal: without limits; warned: close to a limit; slowed: a few emails a minute; paused: none until an operator resumes it',
            'warned',
          ),
          reason: nullable(string('Why, in one sentence; null while the state is normal', sentence)),
          since: nullable(dateTime('When the state began; null if it was never anything but normal')),
          emailsPerMinute: nullable(integer('Emails that are sent in a minute; null unless the state is slowed', 60)),
          rates: list(rate, 'The last hour, 24 hours and 7 days'),
          exceeded: list(
            exceeded,
            'Rates that have reached a limit by now, at most ten. The state follows within a minute',
          ),
          limits: object<GuardLimitsView>('SendingLimits', 'What leads to which state', {
            minSent: integer('Minimum number of recipients in a window for the limits to apply', 200),
            bounced: limit('Limits of hard bounces', [0.05, 0.075, 0.1]),
            complained: limit('Limits of complaints', [0.001, 0.002, 0.003]),
          }),
          provider: object<ProviderStateView>(
            'ProviderState',
            "Whether the email provider accepts mail: the organization's own if it has any, else that of this service",
            {
              state: enumOf(
                PROVIDER_STATES,
                'available; throttled: it asked for a pause; credential-refused: it refuses the credential; failing: it leaves open whether it accepts emails; unknown: currently unknown',
                'available',
              ),
              until: nullable(dateTime('When sending is tried again; null unless it waits')),
            },
          ),
        }),
      },
    },
  }),
};
