// The lock is everybody's, and beneath this module for those that want nothing of Foundation.
@_exported public import LupineLock
