import { describeRoute } from '../platform/openapi/describe-route.js';
import { nameSearch, path } from '../platform/openapi/parameters.js';
import {
  boolean,
  dateTime,
  freeObject,
  integer,
  list,
  nullable,
  object,
  optional,
  string,
} from '../platform/openapi/schemas.js';
import { MAX_SUBJECT } from '../emails/accept/content-rules.js';
import {
  MAX_TEMPLATE_NAME,
  type ChangeTemplateRequest,
  type RenderTemplateRequest,
  type TemplateRequest,
} from './template-requests.js';
import type { TemplateDetail, TemplateRendering, TemplateView } from './template-view.js';

const tag = 'Templates';
const HTML =
  '<p>Hello {{ name | default: "there" }}, <a href="https://example.com/sale?code={{ code }}">have a look</a></p>';
const TEXT = 'Hello {{ name | default: "there" }}, have a look: https://example.com/sale?code={{ code }}';
const VARIABLES = { name: 'Ada', code: 'SPRING' };
const NOT_FOUND = { 404: 'Template not found' };

export const templateId = string('ID of the template', '0190f3a4-7c1e-7a52-9c63-5d2a8a1b4e77');
export const templateVariables = freeObject(
  'Values of the variables by name; at most 250,000 bytes as JSON',
  VARIABLES,
);
export const strictVariables = boolean(
  'True to refuse variables without a value with 400; otherwise they are empty',
  false,
);

const name = string('Name', 'Spring sale', { minLength: 1, maxLength: MAX_TEMPLATE_NAME });
const subject = string('Subject line, in Liquid', 'The sale has begun, {{ name }}', {
  minLength: 1,
  maxLength: MAX_SUBJECT,
});
const htmlContent = string('HTML, or MJML whose root element is <mjml>, in Liquid; at most 5 MB', HTML, {
  minLength: 1,
});
const textContent = string('Text part, in Liquid; without it, we derive one from the HTML', TEXT, { minLength: 1 });

const viewFields = {
  id: templateId,
  name,
  version: integer('Number of the version: 1 for a new template, one more for every change', 1),
  variables: list(string('Name of a variable', 'name'), 'Variables that it reads'),
  createdAt: dateTime('Time of creation'),
  updatedAt: dateTime('Time of the last change'),
};
const view = object<TemplateView>('Template', 'A template', viewFields);
const detail = object<TemplateDetail>('TemplateDetail', 'A template with its content', {
  ...viewFields,
  subject,
  htmlContent,
  textContent: nullable(textContent),
});
const content = { name, subject, htmlContent, textContent: optional(textContent) };
const request = object<TemplateRequest>('TemplateContent', 'The content of a template', content);
const changeRequest = object<ChangeTemplateRequest>('ChangeTemplate', 'The content of the next version', {
  ...content,
  version: optional(
    integer('The version that is changed: 409 if there is a newer one. Without it, any version is replaced', 1, {
      minimum: 1,
    }),
  ),
});

export const templateRendering = object<TemplateRendering>(
  'TemplateRendering',
  'A template with its variables filled in',
  {
    subject: string('Subject line', 'The sale has begun, Ada'),
    html: string('HTML', '<p>Hello Ada, <a href="https://example.com/sale?code=SPRING">have a look</a></p>'),
    text: string('Text part', 'Hello Ada, have a look: https://example.com/sale?code=SPRING'),
  },
);

/** One decorator per route of the controller. */
export const templateDocs = {
  list: describeRoute({
    operationId: 'listTemplates',
    summary: 'List or search templates',
    description: 'A page with about a megabyte of names of variables ends before its limit.',
    tag,
    parameters: [nameSearch],
    paged: true,
    responses: {
      200: {
        description: 'The templates',
        schema: object<{ templates: readonly TemplateView[] }>('TemplateList', 'A page of templates', {
          templates: list(view, 'Templates, newest first'),
        }),
      },
    },
  }),
  create: describeRoute({
    operationId: 'createTemplate',
    summary: 'Create a template',
    description: 'A template that does not parse is 400; the error has the line and the column.',
    tag,
    body: request,
    responses: { 201: { description: 'The new template', schema: view } },
    errors: { 409: 'The organization has 1,000 templates' },
  }),
  get: describeRoute({
    operationId: 'getTemplate',
    summary: 'Get a template',
    tag,
    parameters: [path('id', templateId)],
    responses: { 200: { description: 'The template', schema: detail } },
    errors: NOT_FOUND,
  }),
  change: describeRoute({
    operationId: 'changeTemplate',
    summary: 'Create a new version of a template',
    description:
      'Accepted emails keep the version with which they were accepted. With the `version` that was read, the change is ' +
      'refused if the template was changed meanwhile, unless this change has been made already.',
    tag,
    parameters: [path('id', templateId)],
    body: changeRequest,
    responses: { 200: { description: 'The template with its new version', schema: view } },
    errors: { ...NOT_FOUND, 409: 'The template has another version' },
  }),
  remove: describeRoute({
    operationId: 'deleteTemplate',
    summary: 'Delete a template',
    description: 'Accepted emails keep their content.',
    tag,
    parameters: [path('id', templateId)],
    responses: { 204: { description: 'The template is deleted' } },
    errors: NOT_FOUND,
  }),
  render: describeRoute({
    operationId: 'renderTemplate',
    summary: 'Render a template',
    description: 'Fills in the variables, without tracking. Sends nothing.',
    tag,
    parameters: [path('id', templateId)],
    body: object<RenderTemplateRequest>('RenderTemplate', 'Variables for a template', {
      variables: optional(templateVariables),
      strict: optional(strictVariables),
    }),
    responses: {
      200: {
        description: 'The message',
        schema: templateRendering,
      },
    },
    errors: NOT_FOUND,
  }),
};
