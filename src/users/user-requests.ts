import { IsIn, IsString, MaxLength } from 'class-validator';
import { USER_ROLES, type UserRole } from './user-roles.js';

const roleForm = `role must be one of ${USER_ROLES.join(', ')}`;

export class InviteUserRequest {
  @MaxLength(320, { message: 'email must have at most 320 characters' })
  @IsString({ message: 'email is required and must be a string' })
  email!: string;

  @IsIn(USER_ROLES, { message: roleForm })
  role!: UserRole;
}

export class ChangeRoleRequest {
  @IsIn(USER_ROLES, { message: roleForm })
  role!: UserRole;
}
