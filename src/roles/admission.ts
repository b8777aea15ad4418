import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyRequest } from 'fastify';
import { clientNetwork } from '../platform/addresses/client-network.js';
import { BodyBudget, type BodyReservation } from '../platform/http/body-budget.js';
import { BodyPipe } from '../platform/http/body.pipe.js';
import { ClientAddresses } from '../platform/http/client-address.js';
import { limitUnreadResponses } from '../platform/http/unread-responses.js';
import { acceptStreamedBodies } from '../platform/http/streamed-bodies.js';
import { acceptJsonBodies } from '../platform/http/json-bodies.js';
import { KeyCheck, requireKeys } from '../organizations/key-check.js';

/** Installs the checks that an API request passes before its handler: the key, the body and the fields of the body. */
export function admitRequests(app: NestFastifyApplication): void {
  const fastify = app.getHttpAdapter().getInstance();
  const budget = app.get(BodyBudget, { strict: false });
  requireKeys(fastify, app.get(KeyCheck, { strict: false }), (check) => app.get(check, { strict: false }));
  const clients = app.get(ClientAddresses, { strict: false });
  const reserve = ({ caller, raw }: FastifyRequest): BodyReservation =>
    caller ? budget.open(caller.organizationId) : budget.openWithoutKey(clientNetwork(clients.clientOfRequest(raw)));
  acceptJsonBodies(fastify, reserve);
  acceptStreamedBodies(fastify, reserve);
  limitUnreadResponses(fastify, reserve);
  app.useGlobalPipes(new BodyPipe());
}
