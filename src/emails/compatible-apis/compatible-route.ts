import { applyDecorators } from '@nestjs/common';
import { NeedsScope } from '../../organizations/key-scopes.js';
import { TakesBearerToken } from '../../platform/http/bearer-token.js';
import { TakesMessages } from '../../platform/http/body-limits.js';
import { WritesErrors, type ErrorBodyWriter } from '../../platform/http/error.filter.js';
import { CheckedBy } from '../../platform/http/request-check.js';
import { BearerKeyCheck } from './bearer-key-check.js';

/** For routes that send email for the library of another service. @param errorBody in the form that it reads */
export const CompatibleRoute = (errorBody: ErrorBodyWriter): MethodDecorator =>
  applyDecorators(
    ...[CheckedBy(BearerKeyCheck), TakesBearerToken(), NeedsScope('send')],
    ...[TakesMessages(), WritesErrors(errorBody)],
  );
