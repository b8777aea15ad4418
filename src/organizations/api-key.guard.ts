import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import './current-caller.js';
import { InvalidKeyError } from './key-check.js';

/**
 * Says which controllers need a key, and refuses what has none. The key itself is checked before the body of a
 * request is read, which is before any guard (`KeyCheck`).
 */
@Injectable()
export class KeyGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    if (!context.switchToHttp().getRequest<FastifyRequest>().caller) throw new InvalidKeyError();
    return true;
  }
}
