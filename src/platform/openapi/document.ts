import type { INestApplication, Type } from '@nestjs/common';
import { DocumentBuilder, SwaggerModule, type OpenAPIObject } from '@nestjs/swagger';
import { bodyErrors } from './describe-route.js';
import { nameSchemas } from './name-schemas.js';

const DESCRIPTION = `Sends email and tracks opens and clicks by campaign and by recipient.

Bodies are JSON in UTF-8. Times are ISO 8601 in UTC. IDs are opaque strings. The service ignores unknown request fields.
Responses may gain new fields. Lists are sorted newest first and paged with the Link header.`;

/**
 * The OpenAPI 3.1 description of the documented routes of a module and its imports, without the operator routes.
 * @param others paths that no controller serves
 */
export function createApiDocument(app: INestApplication, api: Type, others: OpenAPIObject['paths']): OpenAPIObject {
  const frame = new DocumentBuilder()
    .setOpenAPIVersion('3.1.0')
    .setTitle('Mailbeacon')
    .setDescription(DESCRIPTION)
    .setVersion('1')
    .setLicense('MIT', 'https://opensource.org/license/mit')
    .addServer('/', 'This service')
    .addTag('Emails', 'Sending and tracking')
    .addTag('Broadcasts', 'One message to many recipients')
    .addTag('Templates', 'Messages with variables')
    .addTag('Campaigns', 'Groups of emails, with their statistics')
    .addTag('Stats', 'Figures over time')
    .addTag('Contacts', 'Recipients across campaigns')
    .addTag('Suppressions', 'Addresses that the organization must not write to')
    .addTag('Domains', 'Domains that the organization sends from')
    .addTag('Webhooks', 'Endpoints that receive event notifications')
    .addTag('Keys', 'API keys of the organization')
    .addTag('Session', 'Sign-in and account of a user')
    .addTag('Users', 'People of the organization')
    .addTag('Audit', 'Who changed what')
    .addTag('Live', 'Changes as they happen')
    .addTag('Compatible APIs', 'Routes of other services, for their client libraries')
    .addTag('Providers', 'Email providers of the organization, and events that providers report')
    .addTag('Tracking', 'Addresses in the mail, for its recipients')
    .addApiKey({ type: 'apiKey', in: 'header', name: 'x-api-key', description: 'An API key: mb_…' }, 'apiKey')
    .addApiKey(
      { type: 'apiKey', in: 'cookie', name: 'mailbeacon', description: 'Session of a user, with X-Requested-With' },
      'session',
    )
    .addBearerAuth({ type: 'http', scheme: 'bearer', description: 'An API key: mb_…' }, 'bearer')
    .addSecurityRequirements('apiKey')
    .addSecurityRequirements('session')
    .build();
  const options = {
    include: [api],
    deepScanRoutes: true,
    autoTagControllers: false,
    onlyIncludeDecoratedEndpoints: true,
  };
  const document = nameSchemas(describeUnwantedBodies(SwaggerModule.createDocument(app, frame, options)));
  return { ...document, paths: { ...document.paths, ...others } };
}

/** Every route but those that only read reads a body, even if it takes none: it may be invalid or too large. */
function describeUnwantedBodies(document: OpenAPIObject): OpenAPIObject {
  for (const item of Object.values(document.paths))
    for (const method of ['post', 'put', 'patch', 'delete'] as const) {
      const operation = item[method];
      if (operation && !operation.requestBody) operation.responses = { ...bodyErrors, ...operation.responses };
    }
  return document;
}
