import type { INestApplication, Type } from '@nestjs/common';
import { DocumentBuilder, SwaggerModule, type OpenAPIObject } from '@nestjs/swagger';
import { nameSchemas } from './name-schemas.js';

const DESCRIPTION = `Sends email and tells what became of it: opens and clicks, by campaign and by recipient.

Bodies are JSON in UTF-8. Times are ISO 8601 in UTC. IDs are opaque texts. Unknown fields of a request are ignored;
answers may gain fields. Lists are newest first and paged by the Link header.`;

/** The OpenAPI 3.1 description of all described routes of a module and its imports; those of operators are not. */
export function createApiDocument(app: INestApplication, api: Type): OpenAPIObject {
  const frame = new DocumentBuilder()
    .setOpenAPIVersion('3.1.0')
    .setTitle('Mailbeacon')
    .setDescription(DESCRIPTION)
    .setVersion('1')
    .setLicense('MIT', 'https://opensource.org/license/mit')
    .addServer('/', 'This service')
    .addTag('Emails', 'Sending and tracking')
    .addTag('Campaigns', 'Emails that belong together, and their figures')
    .addTag('Contacts', 'Recipients, across campaigns')
    .addTag('Domains', 'Domains that the organization sends from')
    .addTag('Webhooks', 'Addresses that are told what happens')
    .addTag('Keys', 'API keys of the organization')
    .addApiKey({ type: 'apiKey', in: 'header', name: 'x-api-key', description: 'An API key: mb_…' }, 'apiKey')
    .addSecurityRequirements('apiKey')
    .build();
  const options = {
    include: [api],
    deepScanRoutes: true,
    autoTagControllers: false,
    onlyIncludeDecoratedEndpoints: true,
  };
  return nameSchemas(SwaggerModule.createDocument(app, frame, options));
}
