// Required before a server that would listen on every address: it listens on
// loopback alone.
const { Server } = require('node:net');
const listen = Server.prototype.listen;
Server.prototype.listen = function (port, ...rest) {
  return typeof port === 'number' ? listen.call(this, port, '127.0.0.1', ...rest.filter((x) => typeof x === 'function')) : listen.call(this, port, ...rest);
};
