global using Shop.Support;
