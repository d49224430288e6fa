Feature: Cart
  Scenario: adds an item
    Given an empty cart
    Then it holds 0 items
  Scenario: counts items
    Given an empty cart
    Then it holds 1 items
  Scenario: has no steps yet
    Given something undefined
  Scenario Outline: sums
    Given an empty cart
    Then it holds <n> items
    Examples:
      | n |
      | 0 |
      | 2 |
