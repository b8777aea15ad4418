import { DomainError } from '../platform/errors/domain-error.js';

/** Does not distinguish a missing template from one of another organization. */
export class TemplateNotFoundError extends DomainError {
  constructor() {
    super('not-found', 'Template not found');
  }
}

/** The template has another version than the one that the request changes. */
export class TemplateChangedError extends DomainError {
  constructor() {
    super('conflict', 'The template has changed meanwhile: read it again before you change it');
  }
}

export class TemplateLimitError extends DomainError {
  constructor(limit: number) {
    super('conflict', `An organization can have ${limit} templates: delete one first`);
  }
}

export class TemplateVersionNotFoundError extends DomainError {
  constructor() {
    super('not-found', 'Template version not found');
  }
}
