import { describeRoute } from '../platform/openapi/describe-route.js';
import { path } from '../platform/openapi/parameters.js';
import { dateTime, integer, list, nullable, object, string } from '../platform/openapi/schemas.js';
import { templateId } from './template-docs.js';
import type { TemplateVersionDetail, TemplateVersionView } from './template-versions.js';

const tag = 'Templates';
const number = integer('Number of the version, from 1', 1, { minimum: 1 });

const fields = {
  version: number,
  subject: string('Subject line, in Liquid', 'The sale has begun, {{ name }}'),
  variables: list(string('Name of a variable', 'name'), 'Variables that it reads'),
  createdAt: dateTime('Time when it was saved'),
};
const view = object<TemplateVersionView>('TemplateVersion', 'A version of a template', fields);
const detail = object<TemplateVersionDetail>('TemplateVersionDetail', 'A version of a template with its content', {
  ...fields,
  htmlContent: string('Original HTML or MJML', '<p>Hello {{ name }}</p>'),
  textContent: nullable(string('Text part; null if it is derived from the HTML', 'Hello {{ name }}')),
});

/** One decorator per route of the controller. */
export const templateVersionDocs = {
  list: describeRoute({
    operationId: 'listTemplateVersions',
    summary: 'List the versions of a template',
    description: 'A page with about a megabyte of names of variables ends before its limit.',
    tag,
    parameters: [path('id', templateId)],
    paged: true,
    responses: {
      200: {
        description: 'The versions',
        schema: object<{ versions: readonly TemplateVersionView[] }>('TemplateVersionList', 'A page of versions', {
          versions: list(view, 'Versions, newest first'),
        }),
      },
    },
    errors: { 404: 'Template not found' },
  }),
  get: describeRoute({
    operationId: 'getTemplateVersion',
    summary: 'Get a version of a template',
    description: 'To restore it, save its content again: that creates a new version.',
    tag,
    parameters: [path('id', templateId), path('version', number)],
    responses: { 200: { description: 'The version', schema: detail } },
    errors: { 404: 'Template not found, or it has no such version' },
  }),
};
